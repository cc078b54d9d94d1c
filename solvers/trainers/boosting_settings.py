"""The parameters that the boosters share, and their ranges."""

from typing import Any

import numpy as np

from solvers.boosting.codes import MAX_BINS
from solvers.scalars import check_within, is_number

__all__ = ["check_bins", "check_boosting", "check_count"]


def check_count(name: str, value: object, *, least: int) -> None:
    """Raise ValueError unless a parameter is a whole number of at least ``least``."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        msg = f"{name} must be a whole number of at least {least}, got {value!r}"
        raise ValueError(msg)


def check_bins(value: object) -> None:
    """Raise ValueError unless ``max_bins`` is "auto", None or 2 to 255."""
    if value is None or value == "auto":
        return
    check_count("max_bins", value, least=2)
    if value > MAX_BINS:  # type: ignore[operator]
        msg = f'max_bins is at most {MAX_BINS}, "auto" or None (exact), got {value!r}'
        raise ValueError(msg)


def check_boosting(booster: Any) -> None:
    """Raise ValueError unless rounds, learning rate and early stopping are in range."""
    check_count("n_rounds", booster.n_rounds, least=0)
    rate = booster.learning_rate
    if not (is_number(rate) and 0.0 < rate <= 1.0):
        msg = f"learning_rate must lie in (0, 1], got {rate!r}"
        raise ValueError(msg)
    if getattr(booster, "early_stopping", False):
        check_within(
            "validation_fraction", booster.validation_fraction, above=0.0, below=1.0
        )
        check_count("patience", booster.patience, least=1)
