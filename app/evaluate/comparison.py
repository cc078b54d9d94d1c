"""A version's figures on newly labelled rows beside those of its training."""

from collections.abc import Mapping
from typing import Any

from app.evaluate.schemas import Comparison

__all__ = ["compare"]

_COMPARED = (
    "expected_cost",
    "error_rate",
    "selective_error",
    "reject_rate",
    "positive_predictive_value",
    "negative_predictive_value",
    "normalized_mutual_information",
    "area_under_risk_coverage",
    "brier_score",
    "calibration_error",
    "share_positive",
)


def compare(
    training: Mapping[str, Any], here: Mapping[str, Any]
) -> dict[str, Comparison]:
    """Return each figure twice, and whether the rows contradict that of training."""
    intervals = here.get("intervals") or {}
    return {
        name: _one(training.get(name), here.get(name), intervals.get(name))
        for name in _COMPARED
    }


def _one(
    then: float | None, now: float | None, interval: list[float | None] | None
) -> Comparison:
    differs = None
    if interval is not None and then is not None:
        low, high = interval
        if low is not None and high is not None:
            differs = not low <= then <= high
    return Comparison(training=then, here=now, interval=interval, differs=differs)
