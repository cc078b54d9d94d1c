"""What counts as a number among parameters, and the ranges that numbers must be in."""

from math import inf
from numbers import Real
from typing import TypeGuard

__all__ = ["check_within", "is_number"]


def is_number(value: object) -> TypeGuard[float]:
    """Tell whether a value is a real number (a boolean is none)."""
    return isinstance(value, Real) and not isinstance(value, bool)


def check_within(name: str, value: object, *, above: float, below: float = inf) -> None:
    """Raise ValueError unless a parameter lies strictly between two bounds."""
    if not (is_number(value) and above < value < below):
        msg = f"{name} must lie strictly between {above:g} and {below:g}, got {value!r}"
        raise ValueError(msg)
