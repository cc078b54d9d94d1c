"""Boosted trees of two outputs as plain data: the classifier h and the rejector r."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.base import Outputs, PairScorer, register
from solvers.scoring.forest import forest_of

__all__ = ["AbstentionTreesScorer"]

Floats = NDArray[np.float64]


@register("abstention-trees")
class AbstentionTreesScorer(PairScorer):
    """Score rows by a pair (h, r) and the probability that it implies.

    Parameters
    ----------
    payload : mapping
        ``n_features``; ``base`` (h, r) before the first tree; ``trees``, see
        ``forest_of``, with complex values h + i r; ``loss`` ("exponential" or
        "logistic") and ``log_cost_ratio``, log(c_+ / c_-), which the implied
        probability needs.
    """

    missing = True

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self.n_features = int(payload["n_features"])
        self.base = complex(*payload["base"])
        self.forest = forest_of(payload["trees"])
        self._logistic = payload["loss"] == "logistic"
        self._log_cost_ratio = float(payload["log_cost_ratio"])

    def pair(self, X: Floats) -> tuple[Floats, Floats]:
        """Return h and r of each row, both of shape (n_rows,)."""
        both = self.forest.sums(X, self.base)
        return both.real.copy(), both.imag.copy()

    def outputs(self, X: Floats) -> Outputs:
        """Return h, r and the log-odds that they imply, of each row."""
        h, r = self.pair(X)
        return Outputs(h, r, self._log_odds(h, r))

    def _log_odds(self, h: Floats, r: Floats) -> Floats:
        odds = 2.0 * h
        if self._logistic:
            odds = np.logaddexp(0.0, h - r) - np.logaddexp(0.0, -h - r)
        return np.asarray(odds - self._log_cost_ratio)

    def probability(self, X: Floats) -> Floats:
        """Return the P(y = +1) at which (h, r) would minimise the expected surrogate.

        Its log-odds are log Phi'(r + h) - log Phi'(r - h) - log(c_+ / c_-).
        """
        odds = self._log_odds(*self.pair(X))
        small = np.exp(-np.abs(odds))
        return np.where(odds >= 0.0, 1.0, small) / (1.0 + small)
