"""All trainers and rules of the service, by what their decisions cost on unseen rows.

Every set is drawn (at most 2,000 training rows and 4,000 test rows) and split 80/20 at
random, features standardised on the training part for the kernel machines. Costs: an
error 1 and a reject c = .05 ... .45, and 5 (false negative), 1 (false positive), .6 and
.3 (rejects). Kernel machines choose width and C by cross-validation on the training
part; boosters stop early on a part of it; rules and calibrations are fitted on
out-of-fold scores of it. All methods see the same rows: differences are paired.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.comparison_methods import decisions_of
from experiments.comparison_plots import plot_differences
from experiments.comparison_tables import mean_table, set_table
from experiments.loading import draw, load
from experiments.report import Section
from experiments.splits import parts
from solvers import CostMatrix
from solvers.metrics import expected_cost, reject_rate

__all__ = ["VERSION", "repeat", "section", "tasks"]

VERSION = 1

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
        return [
            {"set": name, "split": 0, "costs": ["0.1", "0.3", UNEQUAL]}
            for name in SMALL[:4]
        ]
    costs = [f"{0.05 * k:.2f}" for k in range(1, 10)]
    return [
        {"set": name, "split": split, "costs": [*costs, UNEQUAL]}
        for split in range(max(SPLITS.values()))
        for name, splits in SPLITS.items()
        if split < splits
    ]


def repeat(task: dict[str, Any], data: Path) -> dict[str, Any]:
    """Return each method's test cost and reject rate at each cost."""
    rng = np.random.default_rng([task["split"], 5])
    rows = load(data, task["set"])
    train, test = parts(rows, (4, 1), rng, stratified=True)
    train, test = draw(train, _TRAINING_ROWS, rng), draw(test, _TEST_ROWS, rng)
    prices = {name: _costs(name) for name in task["costs"]}
    told: dict[str, dict[str, list[float]]] = {name: {} for name in prices}
    for method, name, decisions in decisions_of(train, test[0], prices, task["split"]):
        cost = expected_cost(test[1], decisions, prices[name])
        told[name][method] = [cost, reject_rate(decisions)]
    return {"costs": told, "rows": [len(train[1]), len(test[1])]}


def _costs(name: str) -> CostMatrix:
    if name == UNEQUAL:
        return CostMatrix(
            false_positive=1.0,
            false_negative=5.0,
            reject_positive=0.6,
            reject_negative=0.3,
        )
    return CostMatrix(1.0, 1.0, float(name), float(name))


def section(results: Sequence[dict[str, Any]], figures: Path) -> Section:
    """Return mean costs, paired differences, and the costs set by set."""
    symmetric = [name for name in results[0]["costs"] if name != UNEQUAL]
    names = list(dict.fromkeys(one["task"]["set"] for one in results))
    how = (
        f"Not in any paper: {len(names)} sets, random 80/20 splits"
        f" ({SPLITS[SMALL[0]]} of each small set, {SPLITS[LARGE[0]]} of a large one),"
        " at most 2,000 training rows and 4,000 test rows. Settings, calibrations and"
        " thresholds come from the training part alone. *minus* is the mean paired"
        " difference from gradient boosting with Chow's rule, over the sets, and its"
        " standard error with the sets as the sample; negative is cheaper. Methods"
        " were compared, not tuned to win: every difference within two errors is a"
        " tie, and among thirty rows some will pass two errors by chance."
    )
    tables = (
        mean_table(results, symmetric, "Symmetric costs: mean over c = .05 ... .45"),
        mean_table(results, [UNEQUAL], f"Costs {UNEQUAL}"),
        set_table(results, symmetric, "Set by set, symmetric costs, mean over c"),
        set_table(results, [UNEQUAL], f"Set by set, costs {UNEQUAL}"),
    )
    plots = {
        plot_differences(results, symmetric, figures): "Mean paired difference from"
        " gradient boosting with Chow's rule, symmetric costs, two standard errors"
    }
    return Section("All trainers and rules", how, tables, plots)
