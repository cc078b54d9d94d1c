"""What a version would do at every share of cases to people, on its held-out rows.

The curves are read off a fixed grid and the histogram has fixed cells, so that no
single row can be told from them. Rows that a guard rejects go to people at every share.
Cases are kept by what deciding saves at their probability p,

    saving = C(reject | p) - min(C(+1 | p), C(-1 | p)),

which is the order of the cheapest two thresholds at each share where all rows have the
same prices (without costs: by |p - 1/2|); the operating point is what the version's
own rule does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import ServedModel
from app.evidence.decisions import decide
from app.evidence.scores import Evidence
from app.evidence.stored import Stored
from app.reprice.thresholds import held_out
from solvers import metrics
from solvers.calibration import Calibration
from solvers.costs import CostMatrix, RowCosts
from solvers.metrics.curves import CoverageCurve

__all__ = ["curves_of"]

Floats = NDArray[np.float64]

SHARES = np.linspace(0.0, 1.0, 101)
CELLS = 40


def curves_of(model: ServedModel, stored: Stored) -> dict[str, Any] | None:
    """Return the curves of a version; None where it held nothing out.

    Parameters
    ----------
    model : ServedModel
    stored : Stored
    """
    unseen = held_out(model, stored, stored.asked)
    if unseen is None:
        return None
    held, calibration = unseen
    position, label, weight = held.part.certain()
    called = decide(model.rule, calibration, held)[position]
    probability = calibration.probability(held.calibrated_on[position])
    reached = np.ones(len(label), dtype=bool)
    if held.guarded is not None:
        reached = held.guarded[position] == 0
    costs = model.costs if held.prices is None else held.prices.take(position)
    return {
        "rows": len(held.part.rows),
        "scores": _histogram(held, calibration, model),
        "calibration": _reliability(label, probability, weight),
        "risk_coverage": _risk(label, probability, weight, reached, called),
        "cost_reject": None
        if costs is None
        else _cost(label, probability, weight, reached, called, costs),
    }


def _histogram(
    held: Evidence, calibration: Calibration, model: ServedModel
) -> dict[str, Any]:
    """Return how many of each class have a score in each cell, and the thresholds."""
    on = model.rule["on"]
    values = held.scores
    if on == "probability":
        values = calibration.probability(held.calibrated_on)
    elif on == "reject-function" and held.reject_scores is not None:
        values = held.reject_scores
    edges = np.histogram_bin_edges(values, CELLS)
    positive, weight = held.part.positive, held.part.weight
    count = {
        name: np.histogram(values, edges, weights=weight * share)[0]
        for name, share in (("positive", positive), ("negative", 1.0 - positive))
    }
    band = model.band.thresholds() or {"lower": 0.0, "upper": None}
    ends = {name: band[name] for name in ("lower", "upper")}
    return {"on": on, "edges": edges, **count, **ends}


def _reliability(
    label: NDArray[np.int8], probability: Floats, weight: Floats
) -> dict[str, Floats]:
    curve = metrics.reliability(label, probability, weight)
    return {
        "probability": curve.claimed,
        "share_positive": curve.found,
        "rows": curve.mass,
    }


def _risk(
    label: NDArray[np.int8],
    probability: Floats,
    weight: Floats,
    reached: NDArray[np.bool_],
    called: NDArray[np.int8],
) -> dict[str, Any]:
    """Return the error among the decided rows at each share that can be decided."""
    point = {
        "coverage": metrics.coverage(called, weight),
        "risk": metrics.selective_error(label, called, weight),
    }
    if not weight[reached].sum() > 0.0:
        return {"coverage": [], "risk": [], "operating_point": point}
    curve = metrics.risk_coverage_curve(
        label[reached], probability[reached] - 0.5, weight[reached]
    )
    most = float(weight[reached].sum() / weight.sum())
    coverage = SHARES[(SHARES > 0.0) & (most >= SHARES)]
    # Between two points of the curve the errors, not the risk, are linear.
    errors = _at(curve, coverage / most, curve.coverage * curve.value)
    risk = errors / (coverage / most)
    return {"coverage": coverage, "risk": risk, "operating_point": point}


def _cost(
    label: NDArray[np.int8],
    probability: Floats,
    weight: Floats,
    reached: NDArray[np.bool_],
    called: NDArray[np.int8],
    costs: CostMatrix | RowCosts,
) -> dict[str, Any]:
    """Return the mean cost over all rows at each share that goes to people."""
    total = float(weight.sum())
    spent = weight * costs.of_decisions(label, called)
    asked = weight * costs.of_decisions(label, np.zeros_like(called))
    point = {
        "reject_rate": metrics.reject_rate(called, weight),
        "cost": float(spent.sum()) / total,
    }
    most = float(weight[reached].sum()) / total
    coverage = SHARES[most >= SHARES]
    cost = np.full(len(coverage), float(asked.sum()) / total)
    if most > 0.0:
        own = costs.take(reached) if isinstance(costs, RowCosts) else costs
        plus, minus, reject = own.expected(probability[reached]).T
        curve = metrics.cost_coverage_curve(
            label[reached],
            minus - plus,
            own,
            weight[reached],
            confidence=reject - np.minimum(plus, minus),
        )
        fixed = float(asked[~reached].sum()) / total
        cost = fixed + most * _at(curve, coverage / most, curve.value)
    return {"reject_rate": 1.0 - coverage, "cost": cost, "operating_point": point}


def _at(curve: CoverageCurve, coverage: Floats, values: Floats) -> Floats:
    return np.interp(coverage, curve.coverage, values)
