"""The loops over all rows that the block solver runs between its blocks."""

import numpy as np
from numba import njit

__all__ = ["above", "extremes", "mirror"]

_TILE = 16


@njit(cache=True, nogil=True)
def extremes(g, low, high, up, down):  # type: ignore[no-untyped-def]
    """Fill ``up = low - g`` and ``down = high - g``; return max up and min down."""
    top = -np.inf
    bottom = np.inf
    for k in range(len(g)):
        up[k] = low[k] - g[k]
        down[k] = high[k] - g[k]
        top = max(top, up[k])
        bottom = min(bottom, down[k])
    return top, bottom


@njit(cache=True, nogil=True)
def above(values, sign, bound, taken):  # type: ignore[no-untyped-def]
    """Return the indices of ``sign * values > bound`` that are not taken, ascending."""
    found = np.empty(len(values), np.int64)
    count = 0
    for k in range(len(values)):
        found[count] = k
        count += (sign * values[k] > bound) and not taken[k]
    return found[:count].copy()


@njit(cache=True, nogil=True)
def mirror(matrix, size, places):  # type: ignore[no-untyped-def]
    """Copy the rows ``places`` of a symmetric matrix into its columns ``places``.

    In tiles, whose rows stay in the first-level cache while they are written.
    """
    for start in range(0, size, _TILE):
        stop = min(start + _TILE, size)
        for a in range(len(places)):
            place = places[a]
            row = matrix[place]
            for k in range(start, stop):
                matrix[k, place] = row[k]
