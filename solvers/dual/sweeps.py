"""The loops over all rows that the block solver runs between its blocks."""

import numpy as np
from numba import njit

__all__ = ["add_rows", "extremes", "mirror"]

# Columns done at once: their part of the gradient stays in the first-level cache.
_STRIP = 1024
_TILE = 16
# One rounding for a * b + c; infinities and NaN keep their meaning.
_FUSED = {"contract"}


@njit(cache=True, nogil=True, fastmath=_FUSED)
def add_rows(g, table, slots, change):  # type: ignore[no-untyped-def]
    """Add ``sum_a change[a] * table[slots[a]]`` to ``g`` in float64.

    Four rows at a time, in strips of columns, so that only the table is read from
    memory.
    """
    n = len(g)
    count = len(slots)
    for start in range(0, n, _STRIP):
        stop = min(start + _STRIP, n)
        part = g[start:stop]
        a = 0
        while a + 4 <= count:
            c0, c1, c2, c3 = change[a], change[a + 1], change[a + 2], change[a + 3]
            r0 = table[slots[a], start:stop]
            r1 = table[slots[a + 1], start:stop]
            r2 = table[slots[a + 2], start:stop]
            r3 = table[slots[a + 3], start:stop]
            for k in range(stop - start):
                first = c0 * np.float64(r0[k]) + c1 * np.float64(r1[k])
                second = c2 * np.float64(r2[k]) + c3 * np.float64(r3[k])
                part[k] += first + second
            a += 4
        while a < count:
            c0 = change[a]
            r0 = table[slots[a], start:stop]
            for k in range(stop - start):
                part[k] += c0 * np.float64(r0[k])
            a += 1


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
