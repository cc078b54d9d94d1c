"""Float64 as integers of the same order: a processor compares those in vectors.

Whoever edits these helpers has to empty numba's disk cache of the loops that call them.
"""

from typing import Any

import numpy as np
from numba import njit

from solvers.bits import bits_of_float64 as _bits
from solvers.bits import float64_of_bits as _from_bits

__all__ = ["GREATEST", "LEAST", "key_of", "value_of"]

GREATEST = np.int64(0x7FFFFFFFFFFFFFFF)
LEAST = np.int64(-0x7FFFFFFFFFFFFFFF)
_SIGN = np.int64(63)


@njit(cache=True, nogil=True)
def key_of(value: float) -> Any:
    """Return an integer in the order of the floats."""
    bits = _bits(value)
    return bits ^ ((bits >> _SIGN) & GREATEST)


@njit(cache=True, nogil=True)
def value_of(key: Any) -> Any:
    """Return the float that ``key_of`` came from."""
    return _from_bits(key ^ ((key >> _SIGN) & GREATEST))
