"""Rows with wrong labels among them, and machines reduced on them."""

import numpy as np

from solvers.trainers.reduced_set import ReducedSetSVC

METHODS = ("m1rs", "m2rs", "sca", "ssca")
ROUGH = {"gamma": 0.01, "C": 10.0}


def noisy(rows=240, seed=0):
    """Return two overlapping normal classes, and 0/1 labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, 2)) + 1.4 * (2 * y[:, None] - 1) * [0.6, 0.4]
    return X, y


def reduced(method, **parameters):
    chosen = {"C": 100.0, "gamma": 0.3, "distance": 0.3, **parameters}
    if method == "m2rs":
        chosen.setdefault("first_stage", ROUGH)
        chosen.setdefault("rejection_cost", 0.4)
    return ReducedSetSVC(method, **chosen)
