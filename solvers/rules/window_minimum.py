"""Minima over many windows of one array, all at once.

Windows of one length class share a table: level L holds the minimum over 2^L entries
from each position, and a window of length at least 2^L and below 2^(L+1) is covered by
two of them. Only one level is kept at a time: O(n log n) time, O(n) memory.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["window_minima"]

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]


def window_minima(values: Floats, first: Positions, last: Positions) -> Floats:
    """Return ``min(values[first[k] : last[k] + 1])`` for each k; +inf where empty."""
    length = last - first + 1
    answers = np.full(len(first), np.inf)
    level = np.frexp(np.maximum(length, 1).astype(np.float64))[1] - 1
    level = np.where(length > 0, level, -1)
    table = values.copy()
    for current in range(int(level.max(initial=-1)) + 1):
        asked = np.flatnonzero(level == current)
        width = 1 << current
        answers[asked] = np.minimum(table[first[asked]], table[last[asked] - width + 1])
        table = np.minimum(table[:-width], table[width:])
    return answers
