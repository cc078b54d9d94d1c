"""How good the decisions are on rows that neither fitting nor tuning saw.

Beside the figures of the model stand those of the three answers that need no model:
always +1, always -1, always reject. A model that costs no less than the best of them
is worse than none, and is said to be (``beats_constant``). Without costs, constants
are compared by nothing, and every cost is null.
"""

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.part import Part
from app.evidence.scores import Evidence
from app.guards.guards import GUARDS, reason_counts
from solvers import metrics
from solvers.calibration import Calibration
from solvers.costs import CostMatrix

__all__ = ["evaluate", "no_evaluation"]

_CONSTANTS = {"+1": 1, "-1": -1, "reject": 0}
_CALLED = ("+1", "-1", "reject")


def no_evaluation() -> tuple[dict[str, Any], list[str]]:
    """Return the evaluation of a training that held nothing out, and its warning."""
    warning = "nothing was held out (holdout 0): how good the model is was not measured"
    return {"rows": 0, "note": warning}, [warning]


def evaluate(
    evidence: Evidence,
    decisions: NDArray[np.int8],
    calibration: Calibration,
    costs: CostMatrix | None,
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
    """
    position, label, weight = evidence.part.certain()
    called = decisions[position]
    table = metrics.augmented_confusion_matrix(label, called, weight)
    probability = calibration.probability(evidence.calibrated_on[position])
    figures = {
        "rows": len(evidence.part.rows),
        "share_positive": _mean(evidence.part.positive, evidence.part.weight),
        "expected_cost": None,
        **_rates(label, called, weight),
        "confusion": _confusion(table),
        **_rankings(label, probability, weight),
        "brier_score": _number(metrics.brier_score(label, probability, weight)),
        "calibration_error": _number(
            metrics.calibration_error(label, probability, weight)
        ),
        "guarded": _guarded(evidence.guarded),
        "intervals": None if _uneven(weight) else _intervals(table, costs),
    }
    if costs is None:
        return {**figures, "constants": None, "beats_constant": None}, []
    spent = _mean(costs.of_decisions(label, called), weight)
    constants = _constants(evidence.part, costs)
    best = min(constants, key=lambda name: constants[name])
    beats = spent < constants[best]
    warnings = []
    if not beats:
        warnings.append(
            f"no better than a constant answer: the model costs"
            f" {spent:.4g} a held-out row, always answering {best} costs"
            f" {constants[best]:.4g}"
        )
    figures["expected_cost"] = spent
    return {**figures, "constants": constants, "beats_constant": beats}, warnings


def _guarded(codes: NDArray[np.int8] | None) -> dict[str, int] | None:
    """Return how many rows each guard rejects."""
    if codes is None:
        return None
    return dict(zip(GUARDS, reason_counts(codes), strict=True))


def _rates(
    label: NDArray[np.int8], called: NDArray[np.int8], weight: NDArray[np.float64]
) -> dict[str, float | None]:
    of_truth = (
        metrics.error_rate,
        metrics.selective_error,
        metrics.positive_predictive_value,
        metrics.negative_predictive_value,
        metrics.normalized_mutual_information,
    )
    rates = {rate.__name__: _number(rate(label, called, weight)) for rate in of_truth}
    rates["reject_rate"] = _number(metrics.reject_rate(called, weight))
    return rates


def _rankings(
    label: NDArray[np.int8],
    probability: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> dict[str, float | None]:
    """Return how well the probability tells the rows that it gets wrong."""
    margin = probability - 0.5
    areas = (
        metrics.area_under_risk_coverage,
        metrics.excess_area_under_risk_coverage,
    )
    return {area.__name__: _number(area(label, margin, weight)) for area in areas}


def _intervals(
    table: NDArray[np.float64], costs: CostMatrix | None
) -> dict[str, list[float | None]]:
    """Return what each figure would range over in other draws of as many rows."""
    return {
        name: [_number(interval.low), _number(interval.high)]
        for name, interval in metrics.table_intervals(table, costs).items()
    }


def _uneven(weight: NDArray[np.float64]) -> bool:
    return bool((weight != 1.0).any())


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    return float(np.average(values, weights=weight))


def _constants(part: Part, costs: CostMatrix) -> dict[str, float]:
    position, label, weight = part.certain()
    codes = np.ones(len(position), dtype=np.int8)
    return {
        name: _mean(costs.of_decisions(label, code * codes), weight)
        for name, code in _CONSTANTS.items()
    }


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
