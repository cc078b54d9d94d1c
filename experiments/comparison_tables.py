"""Mean expected costs and paired differences, over sets and set by set."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.report import Line, Table, mean_and_error

__all__ = ["REFERENCE", "differences", "mean_table", "per_set", "set_table"]

Results = Sequence[dict[str, Any]]

REFERENCE = "gradient boosting, chow"
SHOWN = (
    "gradient boosting, chow",
    "double hinge, plug-in",
    "svm, chow",
    "adaboost, chow",
    "abstention-boosting, early stopping",
    "abstention-trees, embedded",
    "abstention-trees, chow",
)


def mean_table(results: Results, costs: Sequence[str], caption: str) -> Table:
    """Return each method's mean cost and its difference from the reference."""
    found = per_set(results, costs)
    lines = []
    for method in sorted(found, key=lambda m: float(np.mean(list(found[m].values())))):
        mean, _ = mean_and_error(list(found[method].values()))
        lines.append(Line((method, "cost"), mean))
        if method != REFERENCE:
            lines.append(Line((method, "minus"), *differences(found, method)))
    return Table(caption, ("method", "figure"), tuple(lines), digits=4, wide=True)


def set_table(results: Results, costs: Sequence[str], caption: str) -> Table:
    """Return chosen methods set by set, with standard errors over the splits."""
    lines = []
    for name in dict.fromkeys(one["task"]["set"] for one in results):
        chosen = [one for one in results if one["task"]["set"] == name]
        for method in SHOWN:
            values = [_mean(one, costs, method) for one in chosen]
            lines.append(Line((name, method), *mean_and_error(values)))
    return Table(caption, ("set", "method"), tuple(lines), digits=4, wide=True)


def differences(
    found: dict[str, dict[str, float]], method: str
) -> tuple[float, float | None]:
    """Return the mean paired difference from the reference, the sets as the sample."""
    reference = found[REFERENCE]
    return mean_and_error([found[method][s] - reference[s] for s in reference])


def per_set(results: Results, costs: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return {method: {set: mean cost over splits and prices}}."""
    found: dict[str, dict[str, list[float]]] = {}
    for one in results:
        name = one["task"]["set"]
        for method in one["costs"][costs[0]]:
            value = _mean(one, costs, method)
            found.setdefault(method, {}).setdefault(name, []).append(value)
    return {
        method: {name: float(np.mean(values)) for name, values in sets.items()}
        for method, sets in found.items()
    }


def _mean(one: dict[str, Any], costs: Sequence[str], method: str) -> float:
    return float(np.mean([one["costs"][cost][method][0] for cost in costs]))
