"""What a version is held against: limits, and how its held-out rows scored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import ServedModel
from app.artifacts.row_prices import four_numbers
from app.evidence.stored import Stored
from app.monitor.settings import Limits

__all__ = ["Reference", "limits_of", "reference_of"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """Held-out rows in the cells of the score.

    Parameters
    ----------
    counts : ndarray of shape (n_cells,)
    by_cost : ndarray of shape (n_cells,)
        The cells, from what is cheapest to decide to what is dearest.
    """

    counts: Floats
    by_cost: NDArray[np.intp]


def reference_of(model: ServedModel, stored: Stored) -> Reference | None:
    """Return what drift is measured from; None where nothing was held out.

    Cells come from out-of-fold scores, counts from held-out ones, so that the p-values
    of later rows are exactly uniform while nothing changes.
    """
    held = stored.holdout
    if held is None or not model.cells or model.calibration is None:
        return None
    n_cells = len(model.cells) + 1
    place = np.searchsorted(model.cells, held.scores, side="right")
    counts = np.bincount(place, minlength=n_cells).astype(np.float64)
    # The doubt at a cell's edges; what lies beyond the outermost is as at them.
    edges = np.array(model.cells)
    middles = np.concatenate((edges[:1], (edges[1:] + edges[:-1]) / 2, edges[-1:]))
    p = model.calibration.probability(middles)
    doubt = 0.5 - np.abs(p - 0.5)
    if model.costs is not None:
        doubt = model.costs.expected(p).min(axis=1)
    return Reference(counts, np.argsort(doubt, kind="stable"))


def limits_of(limits: Limits, summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the limit of each kind of alarm, on the scale of [0, 1].

    Parameters
    ----------
    limits : Limits
        What a lead has set.
    summary : mapping
        Of the version: its evaluation stands in for what was not set.
    """
    costs, rule = four_numbers(summary.get("costs")), summary.get("rule") or {}
    promised = rule.get("max_error") if rule.get("kind") == "bounded-error" else None
    if not isinstance(promised, Mapping):
        promised = {"+1": promised, "-1": promised}
    by_kind: dict[str, float | None] = {
        "reject_rate": limits.reject_rate or _upper(summary, "reject_rate"),
        "error_positive": limits.max_error.plus or promised.get("+1"),
        "error_negative": limits.max_error.minus or promised.get("-1"),
    }
    if costs is not None:
        cost = limits.expected_cost or _upper(summary, "expected_cost")
        by_kind["expected_cost"] = cost and cost / max(costs.values())
    return {
        kind: limit for kind, limit in by_kind.items() if limit and 0.0 < limit < 1.0
    }


def _upper(summary: Mapping[str, Any], figure: str) -> float | None:
    """Return the upper end of an interval of the evaluation."""
    intervals = (summary.get("evaluation") or {}).get("intervals") or {}
    ends = intervals.get(figure)
    return None if ends is None else ends[1]
