"""An ensemble of calibrated scorers: their log-odds, averaged.

    f(x) = sum_k w_k logit p_k(f_k(x)),     sum_k w_k = 1,

with f_k the score of member k and p_k its calibration; summed in the members' order, so
that a row's score has the same bits in any batch.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.calibration import Calibration
from solvers.scoring.base import ScoreAlone, Scorer, load, register

__all__ = ["EnsembleScorer", "log_odds"]

Floats = NDArray[np.float64]


def log_odds(calibration: Calibration, scores: Floats) -> Floats:
    """Return the log-odds of calibrated scores; no calibration is ever certain."""
    p = calibration.probability(scores)
    return np.asarray(np.log(p) - np.log1p(-p))


@register("ensemble")
class EnsembleScorer(ScoreAlone):
    """Score rows by several models.

    Parameters
    ----------
    payload : mapping
        ``members``, a list of mappings: ``scorer`` and ``calibration``, the payloads
        of either, and ``weight`` > 0.
    """

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self.members: list[tuple[Scorer, Calibration, float]] = [
            (
                load(one["scorer"]),
                Calibration.from_payload(one["calibration"]),
                float(one["weight"]),
            )
            for one in payload["members"]
        ]
        self.n_features = self.members[0][0].n_features
        self.missing = all(scorer.missing for scorer, _, _ in self.members)

    def score(self, X: Floats) -> Floats:
        """Return the mean log-odds of each row, shape (n_rows,)."""
        total = np.zeros(len(X))
        for scorer, calibration, weight in self.members:
            total += weight * log_odds(calibration, scorer.score(X))
        return total
