"""Scores as cumulative class counts at their distinct values.

A threshold can only separate distinct scores. With the distinct values sorted,
``v_0 < ... < v_(m-1)``, cut ``k`` lies between ``v_(k-1)`` and ``v_k`` (0: below all,
m: above all), and everything a rule optimises is a function of how much weight of each
class lies below the cut.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from solvers.rules.sorting import SortedScores, sort_scores

__all__ = ["Counts", "between", "count"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Distinct scores and the weight of each class below every cut.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Distinct scores, ascending.
    positive_below, negative_below : ndarray of shape (m + 1,)
        Weight of the +1 (-1) rows below cut 0 ... m.
    """

    values: Floats
    positive_below: Floats
    negative_below: Floats

    @property
    def positives(self) -> float:
        """Return the weight of all +1 rows."""
        return float(self.positive_below[-1])

    @property
    def negatives(self) -> float:
        """Return the weight of all -1 rows."""
        return float(self.negative_below[-1])

    @property
    def positive_above(self) -> Floats:
        """Return the weight of the +1 rows above every cut, shape (m + 1,)."""
        return np.asarray(self.positive_below[-1] - self.positive_below)

    @property
    def negative_above(self) -> Floats:
        """Return the weight of the -1 rows above every cut, shape (m + 1,)."""
        return np.asarray(self.negative_below[-1] - self.negative_below)

    def threshold(self, cut: int) -> float:
        """Return a threshold t that realises a cut: v_(cut-1) < t <= v_cut."""
        if cut <= 0:
            return -inf
        if cut >= len(self.values):
            return inf
        return between(float(self.values[cut - 1]), float(self.values[cut]))


def between(left: float, right: float) -> float:
    """Return a number t with left < t <= right, in the middle where there is one."""
    middle = left / 2 + right / 2
    return middle if left < middle <= right else right


def count(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats | None = None
) -> Counts:
    """Return the counts of checked scores (see ``rules.inputs``).

    Rows of weight zero are left out, as if they were not there.
    """
    if weights is None:
        return counts_of(sort_scores(scores, positive))
    if not weights.all():
        kept = weights > 0
        scores, positive, weights = scores[kept], positive[kept], weights[kept]
    order = np.argsort(scores)
    ordered, mask, w = scores[order], positive[order], weights[order]
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    positive_below = np.cumsum(np.where(mask, w, 0.0))[ends]
    negative_below = np.cumsum(np.where(mask, 0.0, w))[ends]
    return Counts(ordered[ends], _from_zero(positive_below), _from_zero(negative_below))


def counts_of(ordered: SortedScores) -> Counts:
    """Return the counts of sorted scores, every row of weight one."""
    n_rows = len(ordered.is_positive)
    ends = np.append(np.flatnonzero(ordered.differs_from_next(slice(None))), n_rows - 1)
    positive_below = np.cumsum(ordered.is_positive, dtype=np.int64)[ends]
    negative_below = ends + 1 - positive_below
    return Counts(
        ordered.values(ends),
        _from_zero(positive_below.astype(np.float64)),
        _from_zero(negative_below.astype(np.float64)),
    )


def _from_zero(below: Floats) -> Floats:
    return np.concatenate(([0.0], below))
