"""Boosting with abstention: surrogates, best stumps, coordinate descent, trees.

Source: Cortes, DeSalvo, Mohri (2016), "Boosting with Abstention".
"""
