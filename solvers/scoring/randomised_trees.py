"""Randomised trees fitted elsewhere, as plain data: the log-odds of their mean.

    p(x) = (p_1(x) + ... + p_T(x)) / T,     f(x) = logit((T p(x) + 1/2) / (T + 1)),

with p_t(x) the share of +1 in the leaf of x: half a tree more on either side keeps the
log-odds finite. Values are compared in single precision, as where the trees grew.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.base import ScoreAlone, register
from solvers.scoring.forest import forest_of

__all__ = ["RandomisedTreesScorer"]

Floats = NDArray[np.float64]


@register("randomised-trees")
class RandomisedTreesScorer(ScoreAlone):
    """Score rows by the mean of trees.

    Parameters
    ----------
    payload : mapping
        ``n_features`` and ``trees``, see ``forest_of``; ``value`` is a share of +1.
    """

    missing = True

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self.n_features = int(payload["n_features"])
        self.forest = forest_of(payload["trees"])

    def score(self, X: Floats) -> Floats:
        """Return the log-odds of each row, shape (n_rows,)."""
        with np.errstate(over="ignore"):  # beyond single precision lies infinity
            compared = X.astype(np.float32).astype(np.float64)
        votes = self.forest.sums(compared, 0.0)
        return np.asarray(np.log(votes + 0.5) - np.log(self.n_trees - votes + 0.5))

    @property
    def n_trees(self) -> int:
        """Return the number of trees."""
        return len(self.forest.roots)
