"""Values that stand far outside all others of a column: marks for missing, or slips.

-999 among measurements, or 1e308, is most often no measurement. Of each column the few
least and the few largest values are kept, with how often they come, so that columns of
any length can be looked at part by part.
"""

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from app.features.values import category

__all__ = ["Extremes", "outside"]

_KEPT = 4
_REPEATED, _SINGLE = 5.0, 100.0  # widths of the rest that a value is away from it
_NINES = re.compile(r"-?(9{2,}|8{2,}|7{2,})(\.9+)?")


class Extremes:
    """The least and the largest values of a column, seen part by part."""

    def __init__(self) -> None:
        self._low: dict[float, int] = {}
        self._high: dict[float, int] = {}

    def see(self, values: NDArray[np.float64]) -> None:
        """Take further values; NaN is passed over.

        Parameters
        ----------
        values : ndarray of shape (n,)
        """
        self._low = _least(self._low, values, 1.0)
        self._high = _least(self._high, values, -1.0)

    def odd(self) -> list[tuple[float, int]]:
        """Return the values that stand far outside, and how often they come."""
        low, high = sorted(self._low), sorted(-value for value in self._high)
        counts = {**self._low, **{-v: n for v, n in self._high.items()}}
        known = sorted(counts)
        best: list[float] = []
        for i in range(min(_KEPT, len(low))):
            for j in range(min(_KEPT, len(high))):
                inner = known[i : len(known) - j]
                away = [*known[:i], *known[len(known) - j :]]
                if len(inner) > 2 and len(away) > len(best):
                    first, last = inner[0], inner[-1]
                    width = last - first
                    if all(
                        _far(value, counts[value], first, last, width) for value in away
                    ):
                        best = away
        return [(value, counts[value]) for value in best]


def _far(value: float, count: int, first: float, last: float, width: float) -> bool:
    gap = first - value if value < first else value - last
    least = _REPEATED if count > 1 else _SINGLE
    if _NINES.fullmatch(category(value)):
        least = 1.0
    return gap > least * width


def _least(
    known: dict[float, int], values: NDArray[np.float64], sign: float
) -> dict[float, int]:
    """Return the counts of the least values of both; with -1 those of the largest."""
    turned = values * sign
    if len(known) == _KEPT:
        turned = turned[turned <= max(known)]
    distinct, counts = np.unique(turned[~np.isnan(turned)], return_counts=True)
    pairs = zip(distinct[:_KEPT].tolist(), counts[:_KEPT].tolist(), strict=True)
    both = dict(known)
    for value, count in pairs:
        both[value] = both.get(value, 0) + count
    return {value: both[value] for value in sorted(both)[:_KEPT]}


def _shown(value: float) -> str:
    """Return a number as people write it: 1e308 has no use for all its digits."""
    return category(value) if abs(value) < 1e16 else f"{value:g}"


def outside(name: str, odd: Iterable[tuple[float, int]]) -> str | None:
    """Return what is to be said of such values; None where there are none."""
    counted = [
        f"{_shown(value)} stands {count} time{'s' if count > 1 else ''}"
        for value, count in odd
    ]
    if not counted:
        return None
    return (
        f"column {name!r}: {', '.join(counted)}, far outside the rest: a mark for a"
        " missing value? Name it by missing=, or correct it"
    )
