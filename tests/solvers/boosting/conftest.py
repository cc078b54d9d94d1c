"""Small problems that look like data: correlated features, ties, noise, NaN."""

import numpy as np
import pytest


@pytest.fixture
def problem():
    def make(n_rows=120, n_features=3, *, seed=0, missing=0.0, ties=True):
        random = np.random.default_rng(seed)
        X = random.normal(size=(n_rows, n_features))
        if ties:
            X[:, -1] = np.round(X[:, -1])
        signal = 1.5 * X[:, 0] + X[:, 1 % n_features] ** 2 - 0.7
        chance = 1.0 / (1.0 + np.exp(-signal))
        y = np.where(random.random(n_rows) < chance, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        X[random.random(X.shape) < missing] = np.nan
        return X, y

    return make
