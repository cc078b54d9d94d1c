"""The target of rows, as a training has read it."""

from typing import Any

import numpy as np

from app.train.target import Sample

__all__ = ["sample"]


def sample(y: Any, weight: Any = None, **members: Any) -> Sample:
    """Return labels +1 and -1 of rows with one feature, with members replaced."""
    plain: dict[str, Any] = {
        "probabilities": False,
        "groups": None,
        "moment": None,
        "positive": "yes",
        "negative": "no",
        "features": ("x",),
    }
    return Sample(
        y=np.asarray(y, dtype=float),
        weight=None if weight is None else np.asarray(weight, dtype=float),
        **{**plain, **members},
    )
