"""Sums of float32 kernel rows, in float64: what a change of weights does to scores."""

import numpy as np
from numba import njit

__all__ = ["add_rows"]

# Columns done at once: their part of the gradient stays in the first-level cache.
_STRIP = 1024
# One rounding for a * b + c; infinities and NaN keep their meaning.
_FUSED = {"contract"}


@njit(cache=True, nogil=True, fastmath=_FUSED)
def add_rows(g, table, slots, change, first, end):  # type: ignore[no-untyped-def]
    """Add ``sum_a change[a] * table[slots[a]]`` to ``g``, from column first to end.

    Four rows at a time, in strips of columns, so that only the table is read from
    memory.
    """
    count = len(slots)
    for start in range(first, end, _STRIP):
        stop = min(start + _STRIP, end)
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
