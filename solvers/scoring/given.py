"""A score that is given: the one column of a row, as it is or as log-odds.

    f(x) = x,     or     f(x) = log(x / (1 - x)) for a probability x,

with x held within [1e-9, 1 - 1e-9] there, so that the log-odds stay finite. A missing
score reads as a stand-in, the median of those known in training.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.base import ScoreAlone, register

__all__ = ["CERTAIN", "GivenScorer"]

Floats = NDArray[np.float64]

CERTAIN = 1e-9
"""A probability is held this far from 0 and from 1."""


@register("given")
class GivenScorer(ScoreAlone):
    """Hand scores through.

    Parameters
    ----------
    payload : mapping
        ``probability``, whether the column holds probabilities of +1; ``stand_in``,
        what a missing score reads as.
    """

    missing = True
    n_features = 1

    def __init__(self, payload: Mapping[str, Any]) -> None:
        super().__init__(payload)
        self._probability = bool(payload["probability"])
        self._stand_in = float(payload["stand_in"])

    def score(self, X: Floats) -> Floats:
        """Return the score of each row, shape (n_rows,)."""
        given = X[:, 0]
        given = np.where(np.isnan(given), self._stand_in, given)
        if self._probability:
            p = np.clip(given, CERTAIN, 1.0 - CERTAIN)
            given = np.log(p) - np.log1p(-p)
        return np.asarray(given)
