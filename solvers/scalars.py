"""What counts as a number among parameters."""

from numbers import Real
from typing import TypeGuard

__all__ = ["is_number"]


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number (a boolean is none)."""
    return isinstance(value, Real) and not isinstance(value, bool)
