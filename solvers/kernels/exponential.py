"""``2^(x'z - |x|^2/2 - |z|^2/2)`` in float32, from a table of inner products.

Rows are scaled so that the power of two is the Gaussian kernel. ``2^x = 2^k 2^r`` with
``k`` the whole number next to ``x`` and ``|r| <= 1/2``, exactly; there a polynomial of
degree 6 (minimax, wrong by 2e-9) is right to one unit in the last place: a shorter one
would show in the objective at large C. ``2^k`` is added to the exponent's bits. Numba
vectorises the loop; numpy would need five passes over memory. Its helpers are in this
file, so that numba's disk cache sees edits.
"""

import numpy as np
from numba import njit

__all__ = ["gaussian_rows"]

# Below, the result is next to the smallest float32 of full precision.
_LOWEST = np.float32(-125.0)
_ZERO = np.float32(0.0)
_ONE = np.float32(1.0)
# Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits; shifting
# those to the exponent drops all others.
_ROUND = np.float32(12582912.0)
_MANTISSA = np.int32(23)
_C6 = np.float32(1.5353362e-4)
_C5 = np.float32(1.3398875e-3)
_C4 = np.float32(9.6184374e-3)
_C3 = np.float32(5.5503325e-2)
_C2 = np.float32(2.4022648e-1)
_C1 = np.float32(6.9314720e-1)
# One rounding for a * b + c; infinities and NaN keep their meaning.
_FUSED = {"contract"}


@njit(cache=True, nogil=True, fastmath=_FUSED)
def gaussian_rows(products, half_rows, half, rows, start, out, slots):  # type: ignore[no-untyped-def]
    """Write columns of Gaussian kernel rows into ``out[slots]``, from ``start`` on.

    Parameters
    ----------
    products : (m, w) float32 or float64
        Inner products of rows scaled by ``sqrt(2 gamma log2(e))``.
    half_rows, half : (m,), (w,) of the same type
        Half their squared lengths.
    rows : (m,) int64
        The rows' own columns in ``out``, where the kernel is 1.
    start : int
    out : (n_slots, n) float32
    slots : (m,) int64
    """
    for a in range(len(rows)):
        target = out[slots[a], start : start + len(half)]
        product = products[a]
        own = half_rows[a]
        for k in range(len(half)):
            x = np.float32(product[k] - own - half[k])
            x = max(min(x, _ZERO), _LOWEST)
            shifted = x + _ROUND
            r = x - (shifted - _ROUND)
            p = _C6 * r + _C5
            p = p * r + _C4
            p = p * r + _C3
            p = p * r + _C2
            p = p * r + _C1
            p = p * r + _ONE
            power = np.float32(shifted).view(np.int32) << _MANTISSA
            bits = np.float32(p).view(np.int32) + power
            target[k] = np.int32(bits).view(np.float32)
        if start <= rows[a] < start + len(half):
            target[rows[a] - start] = _ONE
