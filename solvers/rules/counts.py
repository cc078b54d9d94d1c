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

__all__ = ["Counts", "count"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
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
        left, right = float(self.values[cut - 1]), float(self.values[cut])
        middle = left / 2 + right / 2
        return middle if left < middle <= right else right


def count(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats | None = None
) -> Counts:
    """Return the counts of checked scores (see ``rules.inputs``).

    Rows of weight zero are left out, as if they were not there.
    """
    if weights is not None and not weights.all():
        kept = weights > 0
        scores, positive, weights = scores[kept], positive[kept], weights[kept]
    order = np.argsort(scores)
    ordered = scores[order]
    last = np.flatnonzero(ordered[1:] != ordered[:-1])
    ends = np.append(last, len(ordered) - 1)
    if weights is None:
        below = np.cumsum(positive[order], dtype=np.int64)[ends]
        positive_below = below.astype(np.float64)
        negative_below = (ends + 1 - below).astype(np.float64)
    else:
        w = weights[order]
        mask = positive[order]
        positive_below = np.cumsum(np.where(mask, w, 0.0))[ends]
        negative_below = np.cumsum(np.where(mask, 0.0, w))[ends]
    return Counts(
        values=ordered[ends],
        positive_below=np.concatenate(([0.0], positive_below)),
        negative_below=np.concatenate(([0.0], negative_below)),
    )
