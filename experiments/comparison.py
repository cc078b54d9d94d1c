"""All trainers and rules of the service, by what their decisions cost on unseen rows.

Every set is drawn (at most 2,000 training rows and 4,000 test rows) and split 80/20 at
random, features standardised on the training part for the kernel machines and for
``auto``. Costs: an error 1 and a reject c = .05 ... .45, and 5 (false negative), 1
(false positive), .6 and .3 (rejects). Kernel machines choose width and C by
cross-validation on the training part; boosters stop early on a part of it; rules and
calibrations are fitted on out-of-fold scores of it. All methods see the same rows:
differences are paired. What knows no prices is fitted once for all of them, ``auto``'s
ensemble too.
"""

import time
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from experiments.comparison_methods import (
    decisions_of,
    ensemble_of,
    priced,
    probability,
)
from experiments.comparison_plots import plot_differences
from experiments.comparison_tables import (
    ENSEMBLE,
    best_table,
    made_of,
    mean_table,
    set_table,
)
from experiments.counted import counted
from experiments.loading import Rows, draw, load
from experiments.report import Section
from experiments.splits import parts
from solvers import CostMatrix
from solvers.metrics import expected_cost, reject_rate

__all__ = [
    "SPLITS",
    "UNEQUAL",
    "VERSION",
    "costs_of",
    "repeat",
    "section",
    "split_of",
    "tasks",
]

VERSION = 2

SMALL = (
    "haberman",
    "liver",
    "thyroid",
    "wdbc",
    "australian",
    "pima",
    "german",
    "banknote",
    "kc1",
)
LARGE = (
    "pendigits.train",
    "mammography",
    "cod_rna",
    "skin",
    "ijcnn1.train",
    "a9a.train",
    "cover",
)
# Splits of a set; the large ones have test parts that need fewer.
SPLITS = {**dict.fromkeys(SMALL, 3), **dict.fromkeys(LARGE, 1)}
UNEQUAL = "5/1/.6/.3"
_TRAINING_ROWS = 2_000
_TEST_ROWS = 4_000


def tasks(quick: bool) -> list[dict[str, Any]]:
    """Return the splits of each set, all sets before the next split."""
    if quick:
        names = ["0.1", "0.3", UNEQUAL]
        return [{"set": name, "split": 0, "costs": names} for name in SMALL[:2]]
    names = [*(f"{0.05 * k:.2f}" for k in range(1, 10)), UNEQUAL]
    return [
        {"set": name, "split": split, "costs": names}
        for split in range(max(SPLITS.values()))
        for name, splits in SPLITS.items()
        if split < splits
    ]


def repeat(task: dict[str, Any], data: Path) -> dict[str, Any]:
    """Return each method's test cost and reject rate at each cost, and auto's parts."""
    train, test = split_of(task, data)
    prices = {name: costs_of(name) for name in task["costs"]}
    measured: dict[str, dict[str, list[float]]] = {name: {} for name in prices}
    began = time.perf_counter()
    ensemble = ensemble_of(train, task["split"])
    seconds = time.perf_counter() - began
    p = probability(ensemble, train, test[0])
    for method, name, decisions in chain(
        priced(ENSEMBLE, p, prices), decisions_of(train, test[0], prices, task["split"])
    ):
        cost = expected_cost(test[1], decisions, prices[name])
        measured[name][method] = [cost, reject_rate(decisions)]
    return {
        "costs": measured,
        "rows": [len(train[1]), len(test[1])],
        "log_loss": [ensemble.log_loss_, float(log_loss(test[1], p))],
        "weights": {name: w for name, w in ensemble.weights_.items() if w > 0.0},
        "seconds": seconds,
    }


def split_of(task: dict[str, Any], data: Path) -> tuple[Rows, Rows]:
    """Return the training and the test part, the same for every method."""
    rng = np.random.default_rng([task["split"], 5])
    rows = load(data, task["set"])
    train, test = parts(rows, (4, 1), rng, stratified=True)
    return draw(train, _TRAINING_ROWS, rng), draw(test, _TEST_ROWS, rng)


def costs_of(name: str) -> CostMatrix:
    """Return the prices of a name: ``UNEQUAL``, or the cost of a reject."""
    if name == UNEQUAL:
        return CostMatrix(
            false_positive=1.0,
            false_negative=5.0,
            reject_positive=0.6,
            reject_negative=0.3,
        )
    return CostMatrix(1.0, 1.0, float(name), float(name))


def section(results: Sequence[dict[str, Any]], figures: Path) -> Section:
    """Return mean costs, paired differences, the costs set by set, and auto's parts."""
    symmetric = [name for name in results[0]["costs"] if name != UNEQUAL]
    how = (
        f"Not in any paper: {len({one['task']['set'] for one in results})} sets, random"
        f" 80/20 splits ({counted(results, 'split')}), at most 2,000 training rows and"
        " 4,000 test rows. Settings, calibrations and thresholds come from the training"
        f' part alone. *{ENSEMBLE}* is what `"trainer": {{"kind": "auto"}}` fits,'
        " `EnsembleRejectClassifier` with its own members, without a limit of time."
        " *minus* is a method's mean paired difference from it, over the sets, and its"
        " standard error with the sets as the sample; positive is dearer than auto."
        " Every difference within two errors is a tie, and among thirty rows some will"
        " pass two errors by chance."
    )
    both = {"symmetric costs, mean over c": symmetric, f"costs {UNEQUAL}": [UNEQUAL]}
    tables = (
        mean_table(results, symmetric, "Symmetric costs: mean over c = .05 ... .45"),
        mean_table(results, [UNEQUAL], f"Costs {UNEQUAL}"),
        *(best_table(results, c, f"auto by set, {head}") for head, c in both.items()),
        *(set_table(results, c, f"Set by set, {head}") for head, c in both.items()),
        made_of(results),
    )
    plots = {
        plot_differences(results, symmetric, figures): "Mean paired difference from"
        " auto's ensemble, symmetric costs, two standard errors"
    }
    return Section("All trainers and rules", how, tables, plots)
