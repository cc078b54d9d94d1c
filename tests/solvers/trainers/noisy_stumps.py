"""Rows that stumps can learn, with a share of wrong labels, and ways to learn them."""

import numpy as np

from solvers.costs import CostMatrix


def noisy(n_rows=300, seed=0, missing=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    chance = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0] - X[:, 1] ** 2 + 1.0))
    y = np.where(random.random(n_rows) < chance, "yes", "no")
    X[random.random(X.shape) < missing] = np.nan
    return X, y


PARAMETERS = [
    {},
    {"loss": "logistic"},
    {"surrogate": "max"},
    {"step": "closed-form", "beta": 0.01},
    {"costs": CostMatrix(1, 5, 0.6, 0.3), "loss": "logistic"},
    {"costs": {"false_negative": 3.0}, "max_bins": 20},
    {"early_stopping": True, "learning_rate": 0.3},
]
