"""Passes over the rows for the logistic surrogate that take no exponential per row.

With E = exp(r - y h) and G = exp(-b r) kept per row, a step multiplies both by its
cell's factor, and Phi'(u) = E / (1 + E) / ln 2 needs one division. ``errors`` holds
c_y s / ln 2 with the sign of y, ``pulls`` K_y s / ln 2 (s the sample weight).
Factors and slopes have the four cells for y = -1, then the four for y = +1.
"""

from math import log

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["logistic_slopes", "logistic_step"]

_Array = NDArray[np.float64]

_FLOOR = 1e-120
_CEILING = 1e120


@njit(cache=True, nogil=True)
def _slopes_of(
    i: int,
    cells: NDArray[np.uint8],
    table: tuple[_Array, _Array, _Array, _Array],
    rows: tuple[_Array, _Array, _Array, _Array],
) -> tuple[float, float, float, float]:
    """Return what row i adds to the four sums of ``logistic_slopes``."""
    factors, moves, pull_factors, rejected = table
    errors, pulls, grown, sunk = rows
    cell = np.int64(cells[i])
    place = cell + 4 * np.int64(errors[i] > 0.0)
    e, g = grown[i] * factors[place], sunk[i] * pull_factors[cell]
    e_share, g_share = 1.0 / (1.0 + e), 1.0 / (1.0 + g)
    rise = abs(errors[i]) * e * e_share
    pulled = pulls[i] * g * g_share * rejected[cell]
    return moves[place] * rise, rise * e_share, pulled, abs(pulled) * g_share


@njit(cache=True, nogil=True)
def logistic_slopes(
    cells: NDArray[np.uint8],
    table: tuple[_Array, _Array, _Array, _Array],
    rows: tuple[_Array, _Array, _Array, _Array],
) -> tuple[float, float, float, float]:
    """Return the two slopes of the first term, and those of the second over b, b^2.

    table has each cell's (factor of E, slope of its exponent: +1 or -1, factor of G,
    slope of -r: 1 where the cell rejects, -1 for the constant pair, else 0); rows has
    (errors, pulls, E, G).
    """
    first0 = first1 = second0 = second1 = 0.0
    pull_first0 = pull_first1 = pull_second0 = pull_second1 = 0.0
    n_rows = len(cells)
    for half in range(n_rows >> 1):
        first, second, pull_first, pull_second = _slopes_of(
            2 * half, cells, table, rows
        )
        first0 += first
        second0 += second
        pull_first0 += pull_first
        pull_second0 += pull_second
        first, second, pull_first, pull_second = _slopes_of(
            2 * half + 1, cells, table, rows
        )
        first1 += first
        second1 += second
        pull_first1 += pull_first
        pull_second1 += pull_second
    if n_rows & 1:
        first, second, pull_first, pull_second = _slopes_of(
            n_rows - 1, cells, table, rows
        )
        first0 += first
        second0 += second
        pull_first0 += pull_first
        pull_second0 += pull_second
    return (
        first0 + first1,
        second0 + second1,
        pull_first0 + pull_first1,
        pull_second0 + pull_second1,
    )


@njit(cache=True, nogil=True)
def logistic_step(
    cells: NDArray[np.uint8],
    factors: NDArray[np.float64],
    pull_factors: NDArray[np.float64],
    rows: tuple[_Array, _Array, _Array, _Array],
    signed: NDArray[np.float64],
    pull: NDArray[np.float64],
) -> tuple[float, float, float, float, float]:
    """Move E and G, write y w1 and w2.

    Returns the sums of both terms (the second times b), of both weights, and the
    largest weight.

    Both are held between 1e-120 and 1e120, where weights are next to 0 or whole.
    """
    errors, pulls, grown, sunk = rows
    signed_sum = pull_sum = largest = loss = pull_loss = 0.0
    for i in range(len(errors)):
        cell = np.int64(cells[i])
        e = grown[i] * factors[cell + 4 * np.int64(errors[i] > 0.0)]
        g = sunk[i] * pull_factors[cell]
        e, g = min(max(e, _FLOOR), _CEILING), min(max(g, _FLOOR), _CEILING)
        grown[i], sunk[i] = e, g
        signed[i] = errors[i] * (e / (1.0 + e))
        pull[i] = pulls[i] * (g / (1.0 + g))
    for i in range(len(errors)):
        w1, w2 = abs(signed[i]), pull[i]
        signed_sum += w1
        pull_sum += w2
        loss += abs(errors[i]) * log(1.0 + grown[i])
        pull_loss += pulls[i] * log(1.0 + sunk[i])
        largest = max(largest, w1, w2)
    return loss, pull_loss, signed_sum, pull_sum, largest
