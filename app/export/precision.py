"""What changes where a file computes in single precision."""

from typing import Any, Literal

import numpy as np

__all__ = ["Precision", "held", "most_odds", "rounded_down"]

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
