"""Gradient-boosted trees fitted elsewhere, as plain data.

The log-odds of a HistGradientBoostingClassifier: the same comparisons, the same sums
in the same order, hence the same bits; see ``solvers.trainers.gradient_boosting``.
A category is replaced by its place in the list seen in training, an unseen one by NaN.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.base import ScoreAlone, register
from solvers.scoring.forest import forest_of

__all__ = ["HistogramTreesScorer"]

Floats = NDArray[np.float64]


@register("histogram-gradient-boosting")
class HistogramTreesScorer(ScoreAlone):
    """Score rows by boosted trees.

    Parameters
    ----------
    payload : mapping
        ``n_features``, ``baseline``, ``categories`` (a list of (column, ascending
        values) for the categorical columns) and ``trees``, see ``forest_of``.
    """

    missing = True

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self.n_features = int(payload["n_features"])
        self.baseline = float(payload["baseline"])
        self.forest = forest_of(payload["trees"])
        self.categories = [
            (int(column), np.asarray(values, dtype=np.float64))
            for column, values in payload["categories"]
        ]

    def score(self, X: Floats) -> Floats:
        """Return the log-odds of each row, shape (n_rows,)."""
        return np.asarray(self.forest.sums(self.coded(X), self.baseline))

    def coded(self, X: Floats) -> Floats:
        """Return the rows as the trees compare them: categories by their place."""
        if self.categories:
            X = X.copy()
            for column, values in self.categories:
                X[:, column] = _places(X[:, column], values)
        return X


def _places(x: Floats, values: Floats) -> Floats:
    """Return the place of each value among ascending ones, NaN where it is not."""
    if len(values) == 0:
        return np.full(len(x), np.nan)
    place = np.minimum(np.searchsorted(values, x), len(values) - 1)
    return np.where(values[place] == x, place.astype(np.float64), np.nan)
