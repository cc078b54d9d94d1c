"""What a version tells of its rule: thresholds, prices, promise."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.artifacts.row_prices import RowPrices
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band

__all__ = ["rule_facts"]


def rule_facts(
    kind: str,
    rule: Mapping[str, Any],
    calibration: Calibration,
    costs: CostMatrix | None,
    prices: RowPrices | None = None,
) -> dict[str, Any]:
    """Return the members of a version's summary that its rule and prices decide.

    Parameters
    ----------
    kind : str
        The rule's name.
    rule : mapping
        The payload of the fitted rule.
    calibration : Calibration
    costs : CostMatrix or None
    prices : RowPrices, optional
        Instead, where some follow columns of the row.
    """
    as_given = prices.as_given() if prices else costs and asdict(costs)
    payload = calibration.payload()
    return {
        "costs": as_given,
        "rule": {**rule, "kind": kind},
        "thresholds": None if prices else Band.from_payload(rule).thresholds(),
        "calibration": {
            key: payload[key] for key in ("kind", "rows", "prevalence", "notes")
        },
        "embedded_costs": rule.get("embedded_costs"),
        "promise": rule.get("promise"),
        "feasible": rule.get("feasible"),
    }
