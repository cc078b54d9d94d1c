"""Passes over the rows for the exponential surrogate, whose weights only multiply.

A stump's step eta multiplies w1 by exp(eta (r - y h)) and w2 by exp(-b eta r), with
(h, r) the cell's answer: no exponential is taken per row. ``signed`` holds y w1, so
that the sign carries the label. Loops have four accumulators, which lets the
additions overlap without reordering floating-point sums behind our back.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["cells_of", "multiply", "wrong_and_rejected"]

_CHUNK = 2048
_MAGNITUDE = 0x7FFFFFFFFFFFFFFF


@njit(cache=True, nogil=True)
def cells_of(codes, low, high, missing, cells):  # type: ignore[no-untyped-def]
    """Write the cell (0 left, 1 middle, 2 right, 3 missing) of each code.

    codes, low, high and missing share one integer type, which lets the loop use
    vectors of it; cells is uint8.
    """
    for i in range(len(codes)):
        code = codes[i]
        cell = np.uint8(code >= low) + np.uint8(code >= high)
        cells[i] = np.uint8(3) if code == missing else np.uint8(cell)


@njit(cache=True, nogil=True)
def wrong_and_rejected(
    cells: NDArray[np.uint8],
    answers: NDArray[np.float64],
    rejected: NDArray[np.float64],
    signed: NDArray[np.float64],
    pull: NDArray[np.float64],
) -> tuple[float, float]:
    """Return the sum of w1 over the rows answered wrongly, of w2 over the rejected.

    answers and rejected give each cell's h and whether it rejects (1 or 0).
    """
    n_rows = len(signed)
    n_whole = n_rows - n_rows % 4
    w0 = w1 = w2 = w3 = r0 = r1 = r2 = r3 = 0.0
    for quad in range(n_whole >> 2):
        i = 4 * quad
        product = signed[i] * answers[cells[i]]
        w0 += abs(product) - product
        r0 += rejected[cells[i]] * pull[i]
        product = signed[i + 1] * answers[cells[i + 1]]
        w1 += abs(product) - product
        r1 += rejected[cells[i + 1]] * pull[i + 1]
        product = signed[i + 2] * answers[cells[i + 2]]
        w2 += abs(product) - product
        r2 += rejected[cells[i + 2]] * pull[i + 2]
        product = signed[i + 3] * answers[cells[i + 3]]
        w3 += abs(product) - product
        r3 += rejected[cells[i + 3]] * pull[i + 3]
    for i in range(n_whole, n_rows):
        product = signed[i] * answers[cells[i]]
        w0 += abs(product) - product
        r0 += rejected[cells[i]] * pull[i]
    return 0.5 * (w0 + w1 + w2 + w3), r0 + r1 + r2 + r3


@njit(cache=True, nogil=True)
def multiply(
    cells: NDArray[np.uint8],
    factors: NDArray[np.float64],
    pull_factors: NDArray[np.float64],
    signed: NDArray[np.float64],
    pull: NDArray[np.float64],
    signed_bits: NDArray[np.int64],
    pull_bits: NDArray[np.int64],
) -> tuple[float, float, np.int64]:
    """Multiply both weights in place; return their sums and the largest one's bits.

    factors has the four cells for y = -1, then the four for y = +1. The bit views
    are of the same memory: as integers, magnitudes order alike and find their
    largest in vectors.
    """
    n_rows = len(signed)
    signed_sum = pull_sum = 0.0
    largest = np.int64(0)
    for start in range(0, n_rows, _CHUNK):
        stop = min(n_rows, start + _CHUNK)
        s, w, cell = signed[start:stop], pull[start:stop], cells[start:stop]
        for i in range(stop - start):
            c = np.int64(cell[i])
            s[i] *= factors[c + 4 * np.int64(s[i] > 0.0)]
            w[i] *= pull_factors[c]
        n_whole = (stop - start) - (stop - start) % 4
        s0 = s1 = s2 = s3 = p0 = p1 = p2 = p3 = 0.0
        for quad in range(n_whole >> 2):
            i = 4 * quad
            s0 += abs(s[i])
            s1 += abs(s[i + 1])
            s2 += abs(s[i + 2])
            s3 += abs(s[i + 3])
            p0 += w[i]
            p1 += w[i + 1]
            p2 += w[i + 2]
            p3 += w[i + 3]
        for i in range(n_whole, stop - start):
            s0 += abs(s[i])
            p0 += w[i]
        signed_sum += s0 + s1 + s2 + s3
        pull_sum += p0 + p1 + p2 + p3
        s_bits, p_bits = signed_bits[start:stop], pull_bits[start:stop]
        for i in range(stop - start):
            largest = max(largest, s_bits[i] & _MAGNITUDE, p_bits[i])
    return signed_sum, pull_sum, largest
