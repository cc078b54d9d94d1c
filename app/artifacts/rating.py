"""Bands of confidence: which of a list of probabilities a row's own lies between.

    band of x = number of thresholds t_k < f(x)

with t_k the score at which the machine puts the k-th probability of +1. Band 0 is below
the first, band K above the last; a score on a threshold is in the band below it.
"""

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rating"]


@dataclass(frozen=True, slots=True)
class Rating:
    """The bounds of the bands.

    Parameters
    ----------
    probabilities : tuple of K floats
        Of +1, ascending within (0, 1).
    thresholds : tuple of K floats
        The score at each of them.
    """

    probabilities: tuple[float, ...]
    thresholds: tuple[float, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.probabilities) == len(self.thresholds):
            msg = "bands need one threshold for each of their probabilities"
            raise ValueError(msg)

    def of(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the band of each score."""
        return np.searchsorted(self.thresholds, scores, side="left")

    def of_one(self, score: float) -> int:
        """Return the band of a score."""
        return bisect_left(self.thresholds, score)

    def shifted(self, log_odds: float) -> "Rating":
        """Return the bands where the odds of +1 are larger by this logarithm."""
        moved = tuple(threshold - log_odds for threshold in self.thresholds)
        return Rating(self.probabilities, moved)

    def bounds(self) -> list[tuple[float, float]]:
        """Return the probabilities that each band lies between."""
        return list(pairwise((0.0, *self.probabilities, 1.0)))

    def payload(self) -> dict[str, Any]:
        """Return the bounds as plain data."""
        return {
            "probabilities": list(self.probabilities),
            "thresholds": list(self.thresholds),
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the bounds from `payload`."""
        return cls(tuple(payload["probabilities"]), tuple(payload["thresholds"]))
