"""The ranges that constructor parameters must be in."""

from math import inf

from solvers.scalars import is_number

__all__ = ["check_within"]


def check_within(name: str, value: object, *, above: float, below: float = inf) -> None:
    """Raise ValueError unless a parameter lies strictly between two bounds."""
    if not (is_number(value) and above < value < below):
        msg = f"{name} must lie strictly between {above:g} and {below:g}, got {value!r}"
        raise ValueError(msg)
