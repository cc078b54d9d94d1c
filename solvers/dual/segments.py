"""The segments between a weight's breakpoints, and the scores that they ask for.

Segment m of a row lies between its corners m and m + 1 (ascending); a weight strictly
inside it must have its score at the segment's knot. At a corner the score may lie
anywhere between the knots of the two neighbouring segments. Knots descend as weights
ascend, and a segment of length zero is never entered.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.losses.piecewise import PiecewiseLinear

__all__ = ["Segments"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The corners and knots of every row, in the order of the weights.

    Parameters
    ----------
    corners : array of shape (n, K + 1)
    knots : array of shape (n, K)
    """

    corners: Floats
    knots: Floats

    @classmethod
    def of(cls, losses: PiecewiseLinear) -> "Segments":
        """Return the segments of the dual of these losses."""
        # Adding zero turns -0.0 into 0.0.
        corners = np.ascontiguousarray(-losses.slopes[:, ::-1]) + 0.0
        return cls(corners, np.ascontiguousarray(losses.knots[:, ::-1]))

    def inside(self, weights: Floats) -> Indices:
        """Return the rows whose weight is on no corner."""
        return np.flatnonzero(~(self.corners == weights[:, None]).any(axis=1))

    def above(self, rows: Indices, weights: Floats) -> Indices:
        """Return the segment that each weight enters when it rises (K: none)."""
        reached = self.corners[rows] <= weights[:, None]
        return np.asarray(reached.sum(axis=1) - 1)

    def below(self, rows: Indices, weights: Floats) -> Indices:
        """Return the segment that each weight enters when it falls (-1: none)."""
        passed = self.corners[rows] < weights[:, None]
        return np.asarray(passed.sum(axis=1) - 1)

    def interval(self, rows: Indices, weights: Floats) -> tuple[Floats, Floats]:
        """Return the lowest and the highest score that each weight allows."""
        above, below = self.above(rows, weights), self.below(rows, weights)
        last = self.knots.shape[1] - 1
        low = self.knots[rows, np.minimum(above, last)]
        high = self.knots[rows, np.maximum(below, 0)]
        return np.where(above > last, -np.inf, low), np.where(below < 0, np.inf, high)
