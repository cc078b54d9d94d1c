"""Values of NumPy, and numbers that are not finite, as JSON can hold them."""

import math
from typing import Any

import numpy as np

__all__ = ["finite"]


def finite(value: Any) -> Any:
    """Return ``value`` as JSON has it: plain numbers, null for what is not finite."""
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    if isinstance(value, np.ndarray):
        return finite(value.tolist())
    if isinstance(value, np.generic):
        return finite(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
