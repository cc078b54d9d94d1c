"""``auto`` beside AutoGluon and FLAML: the same rows, the same wall time, one thread.

Each system gets the training part of the comparison's first split, and as many seconds.
Chow's rule decides on its probabilities at every price. The peers live in an
environment of their own (``make automl``), each run in a process of its own; ours is
``EnsembleRejectClassifier`` with its own members and that budget, in a process too.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from experiments.comparison import SPLITS, UNEQUAL, costs_of, split_of
from experiments.comparison_tables import ENSEMBLE, differences, per_set
from experiments.report import Line, Section, Table, mean_and_error
from experiments.splits import standardised
from solvers.metrics import expected_cost, reject_rate
from solvers.rules import ChowRule

__all__ = ["SETS", "VERSION", "repeat", "section", "tasks"]

VERSION = 1
SETS = {60.0: tuple(SPLITS), 300.0: tuple(SPLITS)[::2]}
"""Seconds of wall time, and who is compared at them: every second set at the longer."""

OURS = ENSEMBLE
METHODS = {OURS: "demur", "AutoGluon, chow": "autogluon", "FLAML, chow": "flaml"}
_HERE = Path(__file__).resolve().parent
_PEERS = _HERE.parent / ".venv-automl" / "bin" / "python"
_SYMMETRIC = tuple(f"{0.05 * k:.2f}" for k in range(1, 10))
_PRICES = (*_SYMMETRIC, UNEQUAL)
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


def tasks(quick: bool) -> list[dict[str, Any]]:
    """Return each system on the first split of each set; in short, ours on two sets."""
    methods = [OURS] if quick else list(METHODS)
    budgets = {5.0: tuple(SPLITS)[:2]} if quick else SETS
    return [
        {"set": name, "split": 0, "method": method, "seconds": seconds}
        for seconds, sets in budgets.items()
        for name in sets
        for method in methods
    ]


def repeat(task: dict[str, Any], data: Path) -> dict[str, Any]:
    """Return one system's test cost and reject rate at each price, and its time."""
    train, test = split_of(task, data)
    system = METHODS[task["method"]]
    # Kernel machines want one scale; the peers scale for themselves where they need it.
    if system == "demur":
        train, test = standardised(train, test)
    p, seconds, cpu_seconds, made_of = _probabilities(system, task, train, test[0])
    costs = {}
    for name in _PRICES:
        prices = costs_of(name)
        decisions = ChowRule(prices).fit().decide(p)
        cost = float(expected_cost(test[1], decisions, prices))
        costs[name] = {task["method"]: [cost, float(reject_rate(decisions))]}
    return {
        "costs": costs,
        "log_loss": float(log_loss(test[1], p)),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "made_of": made_of,
    }


def _probabilities(
    system: str, task: dict[str, Any], train: Any, X_test: Any
) -> tuple[Any, float, float, str]:
    """Return what a process of the system's own says of the test rows."""
    python = Path(sys.executable) if system == "demur" else _PEERS
    if not python.exists():
        msg = f"{system} is not installed: make automl"
        raise FileNotFoundError(msg)
    with tempfile.TemporaryDirectory(prefix="demur-peers-") as folder:
        rows_file, answers_file = (
            Path(folder) / "rows.npz",
            Path(folder) / "answers.npz",
        )
        np.savez(rows_file, X=train[0], y=train[1], X_test=X_test)
        ran = subprocess.run(  # noqa: S603 - our own script, our own arguments
            [
                *(str(python), str(_HERE / "peers_apart.py"), system),
                *(
                    str(rows_file),
                    str(task["seconds"]),
                    str(task["split"]),
                    str(answers_file),
                ),
            ],
            check=False,
            cwd=folder,
            capture_output=True,
            text=True,
            env={
                **os.environ,
                **dict.fromkeys(_THREADS, "1"),
                "PYTHONPATH": str(_HERE.parent) if system == "demur" else "",
            },
        )
        if ran.returncode != 0:
            msg = f"{system} failed on {task['set']}: {ran.stderr[-2000:]}"
            raise RuntimeError(msg)
        with np.load(answers_file) as found:
            return (
                found["p"].astype(np.float64),
                float(found["seconds"]),
                float(found["cpu_seconds"]),
                str(found["made_of"]),
            )


def section(results: Sequence[dict[str, Any]], figures: Path) -> Section:
    """Return mean costs, paired differences, times, and the costs set by set."""
    del figures  # tables say it all
    budgets: dict[float, list[dict[str, Any]]] = {}
    for one in results:
        budgets.setdefault(one["task"]["seconds"], []).append(one)
    words = " and ".join(f"{seconds:.0f}" for seconds in budgets)
    budget_text = " and ".join(
        f"{seconds:.0f} seconds ({len({one['task']['set'] for one in some})} sets)"
        for seconds, some in budgets.items()
    )
    how = (
        "Not in any paper: the first split of sets of the comparison,"
        f" {budget_text} of wall time and one thread"
        " for each system, one process at a time on a core. *auto's ensemble*"
        " is `EnsembleRejectClassifier` with `budget_seconds` of that; AutoGluon has"
        " its preset `best_quality` and log loss as its aim, FLAML its defaults and log"
        " loss; neither has neural nets here. Chow's rule decides on each system's"
        " probabilities at every price. *minus* is the ensemble's mean paired"
        " difference, its standard error with the sets as the sample; negative is"
        " cheaper."
    )
    tables = [
        table for seconds, some in budgets.items() for table in _tables(some, seconds)
    ]
    title = f"auto beside AutoGluon and FLAML, {words} s"
    return Section(title, how, tuple(tables), {})


def _tables(results: Sequence[dict[str, Any]], seconds: float) -> Iterator[Table]:
    """Yield what one budget gave."""
    by_set = _by_set(results)
    columns = {"symmetric, mean over c": _SYMMETRIC, UNEQUAL: (UNEQUAL,)}
    yield _costs(f"Mean cost, {seconds:.0f} s", by_set, columns)
    yield _times(f"Log loss and time, {seconds:.0f} s", results)
    for head, prices in columns.items():
        yield _of_sets(f"Set by set, {head}, {seconds:.0f} s", by_set, prices)


def _by_set(results: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one result a set and split, with all systems in it."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for one in results:
        task = {key: one["task"][key] for key in ("set", "split")}
        empty: dict[str, Any] = {
            "task": task,
            "costs": {price: {} for price in one["costs"]},
        }
        whole = found.setdefault((task["set"], task["split"]), empty)
        for price, by_method in one["costs"].items():
            whole["costs"][price] |= by_method
    return list(found.values())


def _costs(
    caption: str,
    by_set: Sequence[dict[str, Any]],
    columns: dict[str, tuple[str, ...]],
) -> Table:
    lines = []
    for head, prices in columns.items():
        found = per_set(by_set, prices)
        for method in found:
            mean, _ = mean_and_error(list(found[method].values()))
            lines.append(Line((method, head), mean))
        for method in found:
            if method != OURS:
                difference = differences(found, OURS, method)
                lines.append(Line((f"ensemble minus {method}", head), *difference))
    return Table(caption, ("method", "costs"), tuple(lines), digits=4, wide=True)


def _times(caption: str, results: Sequence[dict[str, Any]]) -> Table:
    lines = []
    for method in dict.fromkeys(one["task"]["method"] for one in results):
        ours = [one for one in results if one["task"]["method"] == method]
        for key, head in (
            ("log_loss", "log loss on test rows, mean"),
            ("seconds", "seconds, median"),
            ("cpu_seconds", "processor seconds, median"),
        ):
            mean = np.mean if key == "log_loss" else np.median
            value = float(mean([one[key] for one in ours]))
            lines.append(Line((method, head), value))
    names = ("method", "figure")
    return Table(caption, names, tuple(lines), digits=3, wide=True)


def _of_sets(
    caption: str, by_set: Sequence[dict[str, Any]], prices: tuple[str, ...]
) -> Table:
    found = per_set(by_set, prices)
    lines = [
        Line((name, method), found[method][name])
        for name in found[OURS]
        for method in found
    ]
    return Table(caption, ("set", "method"), tuple(lines), digits=4, wide=True)
