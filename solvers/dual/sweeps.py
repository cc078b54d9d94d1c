"""The loops over all rows that the block solver runs between its blocks."""

import numpy as np
from numba import njit

__all__ = ["TILE", "above", "extremes", "mirror"]

TILE = 16


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
def mirror(matrix, first, end, places, new):  # type: ignore[no-untyped-def]
    """Copy the rows ``places`` of a symmetric matrix into its columns ``places``.

    Of the lines from first to end, in tiles, whose rows stay in the first-level cache
    while they are written. ``new`` says which lines are among the places: of two of
    them the later one's value stands, so that no thread writes what another reads.
    """
    for start in range(first, end, TILE):
        stop = min(start + TILE, end)
        for a in range(len(places)):
            place = places[a]
            row = matrix[place]
            for k in range(start, stop):
                if k < place or not new[k]:
                    matrix[k, place] = row[k]
