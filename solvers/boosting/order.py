"""Float64 as integers of the same order: a processor compares those in vectors.

Whoever edits these helpers has to empty numba's disk cache of the loops that call them.
"""

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

__all__ = ["GREATEST", "LEAST", "key_of", "value_of"]

GREATEST = np.int64(0x7FFFFFFFFFFFFFFF)
LEAST = np.int64(-0x7FFFFFFFFFFFFFFF)
_SIGN = np.int64(63)


def _as_bits(_context: Any, _value: Any) -> Any:
    """Return the bits of a float64 as an int64."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.int64))

    return types.int64(types.float64), generate


_bits: Any = intrinsic(_as_bits)


def _as_float(_context: Any, _value: Any) -> Any:
    """Return the float64 with the bits of an int64."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(types.float64))

    return types.float64(types.int64), generate


_from_bits: Any = intrinsic(_as_float)


@njit(cache=True, nogil=True)
def key_of(value: float) -> Any:
    """Return an integer in the order of the floats."""
    bits = _bits(value)
    return bits ^ ((bits >> _SIGN) & GREATEST)


@njit(cache=True, nogil=True)
def value_of(key: Any) -> Any:
    """Return the float that ``key_of`` came from."""
    return _from_bits(key ^ ((key >> _SIGN) & GREATEST))
