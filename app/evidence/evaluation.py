"""How good the decisions are on rows that neither fitting nor tuning saw.

Beside the figures of the model stand those of the three answers that need no model:
always +1, always -1, always reject. The model beats them (``beats_constant``) where
what it costs more than each of them, row by row, has an interval wholly below zero; a
lower figure alone is not enough. Without costs, constants are compared by nothing, and
every cost is null. Intervals count rows of one group as one draw.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.artifacts.rating import Rating
from app.evidence.notes import notes_on_rejects
from app.evidence.scores import Evidence
from app.guards.guards import GUARDS, reason_counts
from solvers import metrics
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.metrics.confusion import price_table
from solvers.metrics.intervals import Interval, Units
from solvers.metrics.probability_intervals import probability_intervals
from solvers.metrics.spending import Spending

__all__ = ["evaluate", "no_evaluation"]

_COMPARED = ("constants", "against_constants", "beats_constant")
_CALLED = ("+1", "-1", "reject")
_POSITIVE, _ALL = np.array([[1.0] * 3, [0.0] * 3]), np.ones((2, 3))


def no_evaluation() -> tuple[dict[str, Any], list[str]]:
    """Return the evaluation of a training that held nothing out, and its warning."""
    warning = "nothing was held out (holdout 0): how good the model is was not measured"
    return {"rows": 0, "note": warning}, [warning]


def evaluate(
    evidence: Evidence,
    decisions: NDArray[np.int8],
    calibration: Calibration,
    costs: CostMatrix | None,
    rating: Rating | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the figures of the held-out rows, and what they warn of.

    Parameters
    ----------
    evidence : Evidence
        The held-out rows and their scores.
    decisions : ndarray of shape (n_rows,)
        Codes +1, -1 and 0 (reject) of the guards and the served rule.
    calibration : Calibration
    costs : CostMatrix or None
        The rows' own prices (``evidence.prices``) stand instead where there are any.
    rating : Rating, optional
        Of a model that rates rows: each of its bands is told with the share of +1 in
        it.
    """
    part = evidence.part
    drawn = Units.of_rows(part.positive, decisions, part.weight, part.groups)
    judged, rankings = _of_probabilities(evidence, calibration)
    spending = None
    if evidence.prices is not None:
        own = (evidence.prices, part.weight, part.groups)
        spending = Spending.of_rows(part.positive, decisions, *own)
    intervals = drawn.intervals(costs) | judged
    if spending is not None:
        intervals["expected_cost"] = spending.expected_cost()
    figures: dict[str, Any] = {
        "rows": len(part.rows),
        "share_positive": _mean(part.positive, part.weight),
        "expected_cost": None,
        **{name: _number(one.value) for name, one in intervals.items()},
        "confusion": _confusion(drawn.total),
        **rankings,
        "guarded": _guarded(evidence.guarded),
        "intervals": {
            name: [_number(one.low), _number(one.high)]
            for name, one in intervals.items()
        },
    }
    if rating is not None:
        figures["bands"] = list(_of_bands(evidence, rating))
    warnings = notes_on_rejects(evidence.guarded)
    if spending is not None:
        figures["confusion_costs"] = _confusion(spending.table)
        constants = spending.constants()
        against = _against(spending.against_constants())
    elif costs is not None:
        constants = _constants(drawn, costs)
        against = _against(drawn.against_constants(costs))
    else:
        return {**figures, **dict.fromkeys(_COMPARED)}, warnings
    beats = all(one["shown"] == "better" for one in against.values())
    compared = (constants, against, beats)
    spent = intervals["expected_cost"].value
    if not beats:
        warnings.append(_no_better(spent, constants, against))
    return {**figures, **dict(zip(_COMPARED, compared, strict=True))}, warnings


def _against(intervals: Mapping[str, Interval]) -> dict[str, dict[str, Any]]:
    """Return what the model costs more than each constant answer, and what is shown."""
    return {
        name: {
            "difference": difference.value,
            "interval": [difference.low, difference.high],
            "shown": "better"
            if difference.high < 0.0
            else "worse"
            if difference.low > 0.0
            else "not shown",
        }
        for name, difference in intervals.items()
    }


def _no_better(
    spent: float, constants: Mapping[str, float], against: Mapping[str, Any]
) -> str:
    """Return the warning of a model that is not shown to beat a constant answer."""
    words, best = "no better", min(constants, key=lambda name: constants[name])
    if constants[best] - spent > 1e-12 * constants[best]:  # not by rounding alone
        words = "not shown to be better"
        best = max(against, key=lambda name: against[name]["interval"][1])
    low, high = against[best]["interval"]
    return (
        f"{words} than a constant answer: the model costs {spent:.4g} a held-out row,"
        f" always answering {best} costs {constants[best]:.4g}; the difference lies in"
        f" {low:.4g} to {high:.4g} (95 %)"
    )


def _of_bands(evidence: Evidence, rating: Rating) -> Iterator[dict[str, Any]]:
    """Yield the share of +1 in each band, beside what the band says of it."""
    part, band = evidence.part, rating.of(evidence.scores)
    for k, (low, high) in enumerate(rating.bounds()):
        rows = part.only(band == k)
        facts: dict[str, Any] = {"lower": low, "upper": high, "rows": len(rows.rows)}
        if not (rows.weight > 0).any():
            yield {**facts, "share_positive": None, "interval": None}
            continue
        called = np.ones(len(rows.rows), np.int8)
        drawn = Units.of_rows(rows.positive, called, rows.weight, rows.groups)
        share = drawn.ratio(_POSITIVE, _ALL, 0.95)
        ends = [share.low, share.high]
        yield {**facts, "share_positive": share.value, "interval": ends}


def _guarded(codes: NDArray[np.int8] | None) -> dict[str, int] | None:
    """Return how many rows each guard rejects."""
    if codes is None:
        return None
    return dict(zip(GUARDS, reason_counts(codes)[: len(GUARDS)], strict=True))


@lru_cache(maxsize=4)  # prices are tried on the same rows many times
def _of_probabilities(
    evidence: Evidence, calibration: Calibration
) -> tuple[dict[str, Interval], dict[str, float | None]]:
    """Return the figures that do not depend on what is decided."""
    part = evidence.part
    p = calibration.probability(evidence.calibrated_on)
    intervals = probability_intervals(part.positive, p, part.weight, part.groups)
    return dict(intervals), _rankings(evidence, calibration)


def _rankings(evidence: Evidence, calibration: Calibration) -> dict[str, float | None]:
    """Return how well the probability tells the rows that it gets wrong."""
    position, label, weight = evidence.part.certain()
    margin = calibration.probability(evidence.calibrated_on[position]) - 0.5
    areas = (
        metrics.area_under_risk_coverage,
        metrics.excess_area_under_risk_coverage,
    )
    return {area.__name__: _number(area(label, margin, weight)) for area in areas}


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    return float(np.average(values, weights=weight))


def _constants(drawn: Units, costs: CostMatrix) -> dict[str, float]:
    """Return the cost a row of the answers that need no model."""
    prices, of_class = price_table(costs), drawn.total.sum(axis=1)
    mean = of_class @ prices / of_class.sum()
    return dict(zip(_CALLED, mean.tolist(), strict=True))


def _confusion(table: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    """Return the 2 x 3 table by true label, then by decision."""
    return {
        truth: {name: _count(cell) for name, cell in zip(_CALLED, row, strict=True)}
        for truth, row in zip(("+1", "-1"), table, strict=True)
    }


def _count(cell: float) -> float:
    return int(cell) if float(cell).is_integer() else float(cell)


def _number(value: float) -> float | None:
    """Return a JSON number; a figure of no rows is null."""
    return float(value) if isfinite(value) else None
