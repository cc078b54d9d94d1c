"""Mean expected costs and paired differences, over sets and set by set."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from experiments.report import Line, Table, mean_and_error
from experiments.splits import FIFTH

__all__ = [
    "FIXED",
    "REFERENCE",
    "auto_table",
    "chosen_table",
    "differences",
    "mean_table",
    "merged",
    "per_set",
    "set_table",
]

Results = Sequence[dict[str, Any]]

REFERENCE = "gradient boosting, chow"
AUTO = "auto"
FIXED = (
    "double hinge, plug-in",
    "double hinge, chow",
    "svm, chow",
    "gradient boosting, chow",
)
SHOWN = (
    AUTO,
    "gradient boosting, chow",
    "double hinge, plug-in",
    "svm, chow",
    "adaboost, chow",
    "abstention-boosting, early stopping",
    "abstention-trees, embedded",
    "abstention-trees, chow",
)


def merged(results: Results) -> list[dict[str, Any]]:
    """Return the results of each set and split with ``auto`` as one more method."""
    found = {}
    for one in results:
        if "costs" in one["task"]:
            costs = {name: dict(methods) for name, methods in one["costs"].items()}
            found[one["task"]["set"], one["task"]["split"]] = {**one, "costs": costs}
    for one in results:
        task = one["task"]
        if "auto" in task:
            methods = found[task["set"], task["split"]]["costs"][task["auto"]]
            methods[AUTO] = [one["cost"], one["rejected"]]
    return list(found.values())


def chosen_table(automatic: Results) -> Table:
    """Return what ``auto`` chose how often, what that had promised, and what it cost.

    Parameters
    ----------
    automatic : the repetitions of ``auto``
    """
    lines = []
    groups: dict[str, list[dict[str, Any]]] = {}
    for one in automatic:
        groups.setdefault(", ".join(one["chosen"]), []).append(one)
    groups = dict(sorted(groups.items(), key=lambda item: -len(item[1])))
    for name, ones in {**groups, "all": list(automatic)}.items():
        heads = (name, f"{len(ones)} of {len(automatic)}")
        for key in ("promised", "cost"):
            mean = float(np.mean([one[key] for one in ones]))
            lines.append(Line((*heads, key), mean))
        lines.append(Line((*heads, "cost - promised"), *_excess(ones)))
    remarks = (
        "*promised* is the winner's mean cost on the folds that chose it: the least of"
        " many means, so apt to be too low. *cost - promised* says by how much, its"
        " standard error with the sets as the sample. The service says so beside every"
        " such figure, and reports the cost on held-out rows as the version's own.",
    )
    names = ("chosen", "times", "figure")
    return Table("What auto chose", names, tuple(lines), remarks, digits=4, wide=True)


def _excess(ones: Results) -> tuple[float, float | None]:
    sets: dict[str, list[float]] = {}
    for one in ones:
        sets.setdefault(one["task"]["set"], []).append(one["cost"] - one["promised"])
    return mean_and_error([float(np.mean(values)) for values in sets.values()])


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


def auto_table(results: Results, costs: Mapping[str, Sequence[str]]) -> Table:
    """Return how much dearer ``auto`` is than one trainer and rule taken always.

    Parameters
    ----------
    results : merged results
    costs : mapping
        A column's head, and the prices that it is the mean over.
    """
    lines = []
    for method in FIXED:
        for head, prices in costs.items():
            found = per_set(results, prices)
            told = differences(found, AUTO, method)
            lines.append(Line((f"auto minus {method}", head), *told))
    remarks = (
        "Which of these is the cheapest is known after the comparison only; auto has to"
        " find out on the training part. The kernel machines here had their width"
        " searched too, which auto leaves at its default.",
    )
    names = ("paired difference", "costs")
    caption = "auto against one choice for all sets"
    return Table(caption, names, tuple(lines), remarks, digits=4, wide=True)


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
