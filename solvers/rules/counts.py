"""Scores as cumulative class counts at their distinct values, and the sort they need.

A threshold can only separate distinct scores. With the distinct values sorted,
``v_0 < ... < v_(m-1)``, cut ``k`` lies between ``v_(k-1)`` and ``v_k`` (0: below all,
m: above all), and everything a rule optimises is a function of how much weight of each
class lies below the cut.

Scores are sorted together with their labels as fast as scores alone: the labels ride in
the scores. Scaled by a power of two below 1 in magnitude, a float64 leaves the top bit
of its exponent unused; shifting the magnitude up by one bit keeps the order, frees the
last bit, and the label goes there. One plain float sort then orders both (numpy sorts
floats with vector instructions, but argsorts several times slower). Nothing is rounded:
where the scaling would meet subnormal numbers, an argsort takes its place.
"""

from dataclasses import dataclass
from math import frexp, inf

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counts", "SortedScores", "between", "count", "sort_scores"]

Floats = NDArray[np.float64]

_MAGNITUDE = np.uint64((1 << 63) - 1)
_ONE = np.uint64(1)
# Chunks that stay in the cache while they are packed.
_CHUNK = 16_384
# Packed magnitudes below this stand for subnormal scaled scores (or zero).
_SUBNORMAL = np.array([1 << 53], dtype=np.uint64).view(np.float64)[0]


@dataclass(frozen=True, slots=True, eq=False)
class SortedScores:
    """Scores in ascending order with their labels.

    Attributes
    ----------
    packed : ndarray of uint64, shape (n,), or None
        Sorted keys that hold score and label, scaled by ``2 ** -exponent``.
    plain : ndarray of float64, shape (n,), or None
        The sorted scores, where packing was not exact.
    is_positive : ndarray of uint8, shape (n,)
        1 where the label is +1.
    """

    packed: NDArray[np.uint64] | None
    plain: Floats | None
    exponent: int
    is_positive: NDArray[np.uint8]

    def values(self, rows: NDArray[np.intp] | slice) -> Floats:
        """Return the sorted scores at these positions."""
        if self.packed is None:
            return np.asarray(self._plain[rows])
        keys = self.packed[rows]
        magnitude = (keys & _MAGNITUDE) >> _ONE
        bits = magnitude | (keys & ~_MAGNITUDE)
        return np.asarray(np.ldexp(bits.view(np.float64), self.exponent))

    def differs_from_next(self, rows: NDArray[np.intp] | slice) -> NDArray[np.bool_]:
        """Tell for positions below n - 1 whether the next score is another one."""
        if self.packed is None:
            return np.asarray(self._plain[:-1][rows] != self._plain[1:][rows])
        return np.asarray((self.packed[:-1][rows] ^ self.packed[1:][rows]) > _ONE)

    @property
    def _plain(self) -> Floats:
        if self.plain is None:  # one of the two is always there
            msg = "neither packed nor plain scores"
            raise ValueError(msg)
        return self.plain


def sort_scores(scores: Floats, positive: NDArray[np.bool_]) -> SortedScores:
    """Return finite scores in ascending order with their labels."""
    largest = max(float(scores.max()), -float(scores.min()))
    exponent = frexp(largest)[1]
    if exponent > -1020:
        keys = _pack(scores, positive, 2.0**-exponent)
        keys.sort()
        packed = keys.view(np.uint64)
        low, high = np.searchsorted(keys, [-_SUBNORMAL, _SUBNORMAL])
        if low == high or _only_zeros(packed[low:high], scores):
            labels = packed.astype(np.uint8) & np.uint8(1)
            return SortedScores(packed, None, exponent, labels)
    order = np.argsort(scores, kind="stable")
    return SortedScores(None, scores[order], 0, positive[order].astype(np.uint8))


def _only_zeros(keys: NDArray[np.uint64], scores: Floats) -> bool:
    """Tell whether the smallest keys stand for zeros that were zeros before."""
    zeros = not np.any(keys & _MAGNITUDE > _ONE)
    return zeros and len(keys) == np.count_nonzero(scores == 0.0)


def _pack(scores: Floats, positive: NDArray[np.bool_], scale: float) -> Floats:
    keys = np.empty(len(scores))
    bits = keys.view(np.uint64)
    scratch = np.empty(_CHUNK, dtype=np.uint64)
    for start in range(0, len(scores), _CHUNK):
        part = slice(start, start + _CHUNK)
        np.multiply(scores[part], scale, out=keys[part])
        keys[part] += 0.0  # minus zero becomes zero
        key = bits[part]
        magnitude = scratch[: len(key)]
        np.bitwise_and(key, _MAGNITUDE, out=magnitude)
        key += magnitude  # sign | magnitude doubled
        np.bitwise_or(key, positive[part], out=key, casting="unsafe")
    return keys


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
