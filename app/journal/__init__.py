"""The prediction log: what was decided, on what grounds; off by default.

It holds scores, thresholds, costs and decisions: no feature values and no labels.
"""
