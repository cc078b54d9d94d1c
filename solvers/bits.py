"""Floats and the integers of the same bits, for numba's loops.

Whoever edits these has to empty numba's disk cache of the loops that use them.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

__all__ = ["bits_of_float32", "bits_of_float64", "float32_of_bits", "float64_of_bits"]


def _cast(source: Any, target: Any) -> Any:
    """Return a function of loops that reads the bits of one type as another."""

    def typed(_context: Any, _value: Any) -> Any:
        def generate(
            context: Any, builder: Any, _signature: Any, arguments: Any
        ) -> Any:
            return builder.bitcast(arguments[0], context.get_value_type(target))

        return target(source), generate

    return intrinsic(typed)


bits_of_float32: Any = _cast(types.float32, types.int32)
float32_of_bits: Any = _cast(types.int32, types.float32)
bits_of_float64: Any = _cast(types.float64, types.int64)
float64_of_bits: Any = _cast(types.int64, types.float64)
