"""``exp(x'z - |x|^2/2 - |z|^2/2)`` in float64, from a table of inner products.

``exp(x) = 2^k exp(r)`` with ``x = k log 2 + r`` and ``|r| <= log(2) / 2``, where the
Taylor polynomial of degree 13 is exact to rounding. See ``exponential`` for float32;
helpers of the loop are in this file, so that numba's disk cache sees edits.
"""

import numpy as np
from numba import njit

__all__ = ["gaussian_rows_double"]

_LOWEST = -708.0
_LOG2_E = 1.4426950408889634
# Adding 1.5 * 2^52 rounds to a whole number and leaves it in the low bits.
_ROUND = 6755399441055744.0
_ROUND_BITS = np.int64(0x4338000000000000)
_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_BIAS = np.int64(1023)
_MANTISSA = np.int64(52)
# One rounding for a * b + c; infinities and NaN keep their meaning.
_FUSED = {"contract"}


@njit(cache=True, nogil=True, fastmath=_FUSED)
def gaussian_rows_double(products, half_rows, half):  # type: ignore[no-untyped-def]
    """Turn inner products into Gaussian kernel values, in place.

    Parameters
    ----------
    products : (m, n) float64
        Inner products of rows scaled by ``sqrt(2 gamma)``.
    half_rows, half : (m,), (n,) float64
        Half their squared lengths.
    """
    for a in range(len(half_rows)):
        values = products[a]
        own = half_rows[a]
        for k in range(len(half)):
            x = max(min(values[k] - own - half[k], 0.0), _LOWEST)
            shifted = x * _LOG2_E + _ROUND
            whole = shifted - _ROUND
            r = x - whole * _LN2_HIGH
            r = r - whole * _LN2_LOW
            p = 1.0 / 6227020800.0
            p = p * r + 1.0 / 479001600.0
            p = p * r + 1.0 / 39916800.0
            p = p * r + 1.0 / 3628800.0
            p = p * r + 1.0 / 362880.0
            p = p * r + 1.0 / 40320.0
            p = p * r + 1.0 / 5040.0
            p = p * r + 1.0 / 720.0
            p = p * r + 1.0 / 120.0
            p = p * r + 1.0 / 24.0
            p = p * r + 1.0 / 6.0
            p = p * r + 0.5
            p = p * (r * r) + r + 1.0
            bits = np.float64(shifted).view(np.int64)
            power = (bits - _ROUND_BITS + _BIAS) << _MANTISSA
            values[k] = p * np.int64(power).view(np.float64)
