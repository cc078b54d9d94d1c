"""A version's figures on newly labelled rows beside those of its training.

Two figures differ where the interval of their difference leaves out zero. Its ends
follow from the ends l, u of either figure's interval,

    (a - b) - sqrt((a - l_a)^2 + (u_b - b)^2),
    (a - b) + sqrt((u_a - a)^2 + (b - l_b)^2).

Source: Zou and Donner (2008).
"""

from collections.abc import Mapping
from math import hypot
from typing import Any, TypeGuard

from app.evaluate.schemas import Comparison

__all__ = ["compare"]

Ends = list[float | None]

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
    ends = [figures.get("intervals") or {} for figures in (training, here)]
    return {
        name: _one(
            training.get(name), here.get(name), *(known.get(name) for known in ends)
        )
        for name in _COMPARED
    }


def _one(
    then: float | None,
    now: float | None,
    ends_then: Ends | None,
    ends_now: Ends | None,
) -> Comparison:
    differs = None
    if then is not None and now is not None and _known(ends_now):
        # A figure of an earlier release has no interval: it is taken as it is.
        before = ends_then if _known(ends_then) else [then, then]
        differs = _apart(then, before, now, ends_now)
    return Comparison(training=then, here=now, interval=ends_now, differs=differs)


def _known(ends: Ends | None) -> TypeGuard[list[float]]:
    return ends is not None and None not in ends


def _apart(a: float, ends_a: list[float], b: float, ends_b: list[float]) -> bool:
    """Tell whether the interval of b - a leaves out zero."""
    (low_a, high_a), (low_b, high_b) = ends_a, ends_b
    below, above = hypot(b - low_b, high_a - a), hypot(high_b - b, a - low_a)
    return not b - a - below <= 0.0 <= b - a + above
