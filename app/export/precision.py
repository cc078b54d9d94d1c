"""What changes where a file computes in single precision."""

from typing import Any, Literal

import numpy as np

__all__ = ["Precision", "held", "most_odds", "of_rounded_numbers", "rounded_down"]

Precision = Literal["float64", "float32"]

_LARGEST = 3e38
_MOST_ODDS = 80.0
"""exp of it is a number in single precision."""


def held(values: Any, precision: Precision) -> Any:
    """Return finite numbers within the precision; infinite ones and NaN stay."""
    numbers = np.asarray(values, dtype=np.float64)
    if precision == "float64":
        return numbers
    return np.where(
        np.isfinite(numbers), np.clip(numbers, -_LARGEST, _LARGEST), numbers
    )


def most_odds(most: float, precision: Precision) -> float:
    """Return how far log-odds may go before they become a probability."""
    return min(most, _MOST_ODDS) if precision == "float32" else most


def rounded_down(values: Any, precision: Precision) -> Any:
    """Return thresholds that split numbers of a precision as the given ones do."""
    if precision == "float64":
        return np.asarray(values)
    near = np.asarray(values).astype(np.float32)
    low = np.nextafter(near, np.float32(-np.inf))
    return np.where(near > values, low, near)


def of_rounded_numbers(thresholds: Any) -> Any:
    """Return thresholds that split numbers as these split them rounded to float32.

    round(x) <= t holds up to halfway between the largest float32 number that is at
    most t and the next; halfway itself is rounded to the even one of them.
    """
    with np.errstate(over="ignore"):
        low = rounded_down(thresholds, "float32")
        above = np.nextafter(low, np.float32(np.inf))
    # Where rounding gives infinity, the next number would be a power of two.
    ends = [
        np.clip(each.astype(np.float64), -(2.0**128), 2.0**128) for each in (low, above)
    ]
    halfway = (ends[0] + ends[1]) / 2.0
    is_even = low.view(np.uint32) % 2 == 0
    return np.where(is_even, halfway, np.nextafter(halfway, -np.inf))
