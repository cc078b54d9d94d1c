"""The convex hull of the empirical ROC curve: all that a change of costs needs.

    A(i) = (c_+ - r_+) P_below(i) - r_- N_below(i)     cost of calling -1, not rejecting
    B(j) = (c_- - r_-) N_above(j) - r_+ P_above(j)     cost of calling +1, not rejecting

The empirical cost of cuts i <= j is A(i) + B(j) plus a constant. Both are linear in the
ROC point of their cut, so for every cost matrix both optima are vertices of the hull
(Tortorella 2004). They never cross: a block between them would have a share of +1 at
most p_- and at least p_+ > p_-. Among equal optima the one that rejects less is taken,
and therefore a higher reject cost never rejects a row that was decided before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.counts import Counts

__all__ = ["RocHull", "hull_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RocHull:
    """Vertices of the hull, from the cut below all scores to the cut above all.

    Attributes
    ----------
    thresholds : ndarray of shape (h,)
        One threshold per vertex, -inf first and +inf last.
    positive_below, negative_below : ndarray of shape (h,)
        Weight of each class below it.
    """

    thresholds: Floats
    positive_below: Floats
    negative_below: Floats

    def best(self, costs: CostMatrix) -> Band:
        """Return the cheapest band at these costs; ties reject less."""
        lower = (
            costs.false_negative - costs.reject_positive
        ) * self.positive_below - costs.reject_negative * self.negative_below
        upper = (costs.false_positive - costs.reject_negative) * (
            self.negative_below[-1] - self.negative_below
        ) - costs.reject_positive * (self.positive_below[-1] - self.positive_below)
        i = _last_minimum(lower)
        j = len(upper) - 1 - _last_minimum(upper[::-1])
        # Only rounding could bring i above j (see the module).
        return Band(
            float(self.thresholds[min(i, j)]), float(self.thresholds[j]), closed=True
        )

    def payload(self) -> dict[str, Any]:
        """Return the vertices as lists of finite numbers."""
        limit = float_info.max
        return {
            "thresholds": np.clip(self.thresholds, -limit, limit).tolist(),
            "positive_below": self.positive_below.tolist(),
            "negative_below": self.negative_below.tolist(),
        }

    @classmethod
    def from_payload(cls, facts: Mapping[str, Any]) -> "RocHull":
        """Return the hull that ``payload`` described."""
        thresholds = np.asarray(facts["thresholds"], dtype=np.float64)
        thresholds[0], thresholds[-1] = -inf, inf
        return cls(
            thresholds,
            np.asarray(facts["positive_below"], dtype=np.float64),
            np.asarray(facts["negative_below"], dtype=np.float64),
        )


def hull_of(counts: Counts) -> RocHull:
    """Return the hull of the ROC curve of these counts.

    Its edges are the blocks of the isotonic regression of the label on the score.
    """
    # Fitting happens in the worker; a process that only decides loads no scipy.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    positive = np.diff(counts.positive_below)
    total = positive + np.diff(counts.negative_below)
    cuts = isotonic_regression(positive / total, weights=total).blocks
    thresholds = np.asarray([counts.threshold(int(cut)) for cut in cuts])
    return RocHull(thresholds, counts.positive_below[cuts], counts.negative_below[cuts])


def _last_minimum(values: Floats) -> int:
    """Return the last index whose value is the minimum, up to rounding."""
    scale = float(np.max(np.abs(values)))
    ties = np.flatnonzero(values <= values.min() + 1e-12 * scale)
    return int(ties[-1])
