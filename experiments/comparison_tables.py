"""Mean expected costs and paired differences, over sets and set by set."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.report import Line, Table, mean_and_error
from experiments.splits import FIFTH

__all__ = [
    "ENSEMBLE",
    "REFERENCE",
    "best_table",
    "differences",
    "made_of",
    "mean_table",
    "per_set",
    "set_table",
]

Results = Sequence[dict[str, Any]]

ENSEMBLE = REFERENCE = "auto's ensemble, chow"
SHOWN = (
    ENSEMBLE,
    "gradient boosting, chow",
    "double hinge, chow",
    "double hinge, plug-in",
    "svm, chow",
    "adaboost, chow",
    "abstention-boosting, early stopping",
    "abstention-trees, embedded",
    "abstention-trees, chow",
)


def best_table(results: Results, costs: Sequence[str], caption: str) -> Table:
    """Return auto's cost on each set beside the cheapest single method there."""
    found = per_set(results, costs)
    lines = []
    for name in found[ENSEMBLE]:
        single = {m: cost[name] for m, cost in found.items() if m != ENSEMBLE}
        best = min(single, key=lambda method: single[method])
        ours = found[ENSEMBLE][name]
        lines.append(Line((name, best, "auto"), ours))
        lines.append(Line((name, best, "cheapest"), single[best]))
        lines.append(Line((name, best, "auto - cheapest"), ours - single[best]))
    remarks = (
        "Which of thirty methods is the cheapest on a set is known after the test only,"
        " and by luck as well; auto has to find out on the training part.",
    )
    names = ("set", "cheapest single method", "cost")
    return Table(caption, names, tuple(lines), remarks, digits=4, wide=True)


def made_of(results: Results) -> Table:
    """Return the mean weight of each family, the optimism, and the time."""
    families: dict[str, float] = {}
    for one in results:
        for name, weight in one["weights"].items():
            kind = name.split(" ")[0].rstrip(",")
            families[kind] = families.get(kind, 0.0) + weight / len(results)
    lines = [
        Line((f"weight of {kind}", "mean"), weight)
        for kind, weight in sorted(families.items(), key=lambda item: -item[1])
    ]
    gaps: dict[str, list[float]] = {}
    for one in results:
        claimed, unseen = one["log_loss"]
        gaps.setdefault(one["task"]["set"], []).append(unseen - claimed)
    optimism = mean_and_error([float(np.mean(values)) for values in gaps.values()])
    lines.append(Line(("log loss on test rows - on the folds", "mean"), *optimism))
    seconds = float(np.median([one["seconds"] for one in results]))
    lines.append(Line(("seconds of a fit", "median"), seconds))
    remarks = (
        "*log loss on test rows - on the folds* is by how much the figure that chose"
        " the weights flatters. The seconds are those of a shared machine.",
    )
    names = ("figure", "over the splits")
    caption = "What auto's ensemble is made of"
    return Table(caption, names, tuple(lines), remarks, digits=4)


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
            lines.append(Line((name, method), *mean_and_error(values, FIFTH)))
    return Table(caption, ("set", "method"), tuple(lines), digits=4, wide=True)


def differences(
    found: dict[str, dict[str, float]], method: str, reference: str = REFERENCE
) -> tuple[float, float | None]:
    """Return the mean paired difference from a reference, the sets as the sample."""
    other = found[reference]
    return mean_and_error([found[method][s] - other[s] for s in other])


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
