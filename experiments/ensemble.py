"""What ``auto`` fits, beside the best single methods, on the sets of the comparison.

The ensemble of calibrated probabilities (``EnsembleRejectClassifier`` with its own
members, without a limit of time), the SVM with width and C searched, and gradient
boosting with its defaults, each under Chow's rule: same rows, same splits, same prices.
One fit serves all prices. Also measured: how much the ensemble's out-of-fold log loss,
on which its weights were chosen, flatters it.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.comparison import SPLITS, UNEQUAL, costs_of, split_of
from experiments.comparison_methods import WIDTHS, hinge_ruled, unpriced_ruled
from experiments.comparison_tables import differences, per_set
from experiments.counted import counted
from experiments.report import Line, Section, Table, mean_and_error
from experiments.splits import standardised
from solvers import EnsembleRejectClassifier, GradientBoostingRejectClassifier
from solvers.metrics import expected_cost, reject_rate
from solvers.rules import ChowRule

__all__ = ["VERSION", "repeat", "section", "tasks"]

VERSION = 2

ENSEMBLE = "auto's ensemble, chow"
SVM, TREES = "svm, chow", "gradient boosting, chow"
_SYMMETRIC = tuple(f"{0.05 * k:.2f}" for k in range(1, 10))
_NO_LIMIT = 1e6


def tasks(quick: bool) -> list[dict[str, Any]]:
    """Return one split of each set; in full, all splits of the comparison."""
    splits = 1 if quick else max(SPLITS.values())
    return [
        {"set": name, "split": split}
        for split in range(splits)
        for name, of_set in SPLITS.items()
        if split < of_set
    ]


def repeat(task: dict[str, Any], data: Path) -> dict[str, Any]:
    """Return each method's test cost and reject rate at each cost."""
    train, (X_test, y_test) = split_of(task, data)
    scaled, (X_scaled, _) = standardised(train, (X_test, y_test))
    prices = {name: costs_of(name) for name in (*_SYMMETRIC, UNEQUAL)}
    told: dict[str, dict[str, list[float]]] = {name: {} for name in prices}

    def keep(method: str, name: str, decisions: Any) -> None:
        cost = expected_cost(y_test, decisions, prices[name])
        told[name][method] = [cost, reject_rate(decisions)]

    began = time.perf_counter()
    model = EnsembleRejectClassifier(
        budget_seconds=_NO_LIMIT, random_state=task["split"]
    ).fit(*scaled)
    seconds = time.perf_counter() - began
    p = model.probability(X_scaled)
    for name, costs in prices.items():
        keep(ENSEMBLE, name, ChowRule(costs).fit().decide(p))
    widths = [width / X_test.shape[1] for width in WIDTHS]
    trees = GradientBoostingRejectClassifier(random_state=task["split"])
    for found in (
        hinge_ruled(scaled, X_scaled, prices, widths, task["split"]),
        unpriced_ruled("gradient boosting", trees, train, X_test, prices),
    ):
        for method, name, decisions in found:
            if method in {SVM, TREES}:
                keep(method, name, decisions)
    unseen = -np.log(np.where(y_test > 0, p, 1.0 - p)).mean()
    return {
        "costs": told,
        "rows": [len(train[1]), len(y_test)],
        "log_loss": [model.log_loss_, float(unseen)],
        "weights": {name: w for name, w in model.weights_.items() if w > 0.0},
        "seconds": seconds,
    }


def section(results: Sequence[dict[str, Any]], figures: Path) -> Section:
    """Return mean costs, paired differences, and what the ensembles are made of."""
    del figures  # two tables say it all
    sets = len({one["task"]["set"] for one in results})
    how = (
        f"Not in any paper: the sets, splits and prices of the comparison ({sets} sets,"
        f" {len(results)} splits: {counted(results, 'split')}). *auto's ensemble* is"
        " `EnsembleRejectClassifier` with its own members, which"
        ' `"trainer": {"kind": "auto"}` fits, without a limit of time; *svm* has width'
        " and C searched, *gradient boosting* its defaults; all three decide by Chow's"
        " rule. *minus* is the ensemble's mean paired difference over the sets and its"
        " standard error with the sets as the sample; negative is cheaper."
    )
    columns = {"symmetric, mean over c": _SYMMETRIC, UNEQUAL: (UNEQUAL,)}
    return Section(
        "The ensemble of auto",
        how,
        (_costs_table(results, columns), _made_of(results)),
        {},
    )


def _costs_table(
    results: Sequence[dict[str, Any]], columns: dict[str, tuple[str, ...]]
) -> Table:
    lines = []
    for head, prices in columns.items():
        found = per_set(results, prices)
        for method in (ENSEMBLE, SVM, TREES):
            mean, _ = mean_and_error(list(found[method].values()))
            lines.append(Line((method, head), mean))
        for method in (SVM, TREES):
            told = differences(found, ENSEMBLE, method)
            lines.append(Line((f"ensemble minus {method}", head), *told))
    return Table("Mean cost", ("method", "costs"), tuple(lines), digits=4, wide=True)


def _made_of(results: Sequence[dict[str, Any]]) -> Table:
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
    return Table("What it is made of", names, tuple(lines), remarks, digits=4)
