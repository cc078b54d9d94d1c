"""Scores of rows that a model did not see, and all that follows from them.

Trainings, re-pricings and evaluations share it; NumPy is all it needs.
"""
