"""What ``auto`` learns from targets in doubt, with P-SVMs among its members or without.

A world with a known probability p of +1 (five normal columns, a curve and a product in
the log-odds). 400 rows have a verdict: p with a normal error of .7 in its log-odds,
said in tenths, as people do. The ensembles learn each row twice, with the verdict and
its rest for weights, as the service makes them learn reviews. Measured on 4,000 rows
against p itself: the mean divergence (Kullback-Leibler), and the expected cost of
Chow's decisions at 5/1/.6/.3.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.comparison import UNEQUAL, costs_of
from experiments.loading import Floats
from experiments.report import Line, Section, Table, mean_and_error
from solvers import (
    DoubleHingeSVC,
    EnsembleRejectClassifier,
    MultiHingeSVC,
    ProbabilisticLabelSVC,
)
from solvers.metrics import mean_binary_divergence
from solvers.rules import ChowRule
from solvers.trainers.ensemble_members import automatic_members

__all__ = ["VERSION", "repeat", "section", "tasks"]

VERSION = 1

AUTO = "auto's ensemble, P-SVMs among its members"
_ROWS, _TEST_ROWS = 400, 4_000
_ERROR = 0.7
_NO_LIMIT = 1e6
_WIDTHS = (1.0, 0.25, 1 / 16)


def tasks(quick: bool) -> list[dict[str, Any]]:
    """Return one task a world."""
    return [{"seed": seed} for seed in range(1 if quick else 8)]


def repeat(task: dict[str, Any], data: Path) -> dict[str, Any]:
    """Return each method's divergence from the true probability, and its cost."""
    del data  # made up
    rng = np.random.default_rng([task["seed"], 9])
    X, p = _world(rng, _ROWS)
    odds = np.log(p) - np.log1p(-p) + rng.normal(scale=_ERROR, size=_ROWS)
    verdict = np.clip(np.round(1.0 / (1.0 + np.exp(-odds)), 1), 0.02, 0.98)
    new, truth = _world(rng, _TEST_ROWS)
    return {
        name: [_divergence(q, truth), _cost(q, truth)]
        for name, q in _learnt(X, verdict, new)
    } | {"the true probability": [0.0, _cost(truth, truth)]}


def _learnt(X: Floats, verdict: Floats, new: Floats) -> Any:
    """Yield each method's name and its probabilities of the new rows."""
    n, columns = X.shape
    certain = automatic_members(n, columns)
    costs = costs_of(UNEQUAL)
    more = [
        (f"{name} {width:g} {C:g}", make(C=C, gamma=width / columns))
        for name, make in _machines(costs).items()
        for width in _WIDTHS
        for C in (0.1, 1.0, 10.0)
    ]
    labels = np.where(verdict > 0.5, 1, -1)
    y, twice = np.repeat([1, -1], n), np.r_[verdict, 1.0 - verdict]
    group = np.tile(np.arange(n), 2)
    for name, members in {
        AUTO: None,
        "the same without P-SVMs": certain,
        "the same with double and multi-hinges instead": [*certain, *more],
    }.items():
        model = EnsembleRejectClassifier(members, budget_seconds=_NO_LIMIT)
        yield name, model.fit(np.r_[X, X], y, twice, group).probability(new)
    model = EnsembleRejectClassifier(certain, budget_seconds=_NO_LIMIT)
    yield "the same on the likelier labels", model.fit(X, labels).probability(new)
    alone = ProbabilisticLabelSVC().fit(X, verdict)
    yield "one P-SVM, C = 1", alone.predict_proba(new)[:, 1]


def _machines(costs: Any) -> dict[str, Callable[..., Any]]:
    return {
        "double hinge": lambda **given: DoubleHingeSVC(costs, **given),
        "multi-hinge": MultiHingeSVC,
    }


def _world(rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    X = rng.normal(size=(n, 5))
    odds = 1.2 * X[:, 0] - X[:, 1] + np.cos(2.0 * X[:, 2]) + X[:, 3] * X[:, 4] - 0.7
    return X, 1.0 / (1.0 + np.exp(-odds))


def _divergence(q: Floats, truth: Floats) -> float:
    """Return the divergence from the truth of estimates that are never quite sure."""
    return mean_binary_divergence(truth, np.clip(q, 1e-3, 1.0 - 1e-3))


def _cost(q: Floats, p: Floats) -> float:
    """Return the mean expected cost at the true probability, of Chow's decisions."""
    costs = costs_of(UNEQUAL)
    decisions = ChowRule(costs).fit().decide(q)
    paid = {
        1: (1.0 - p) * costs.false_positive,
        -1: p * costs.false_negative,
        0: p * costs.reject_positive + (1.0 - p) * costs.reject_negative,
    }
    return float(np.mean(sum((decisions == d) * cost for d, cost in paid.items())))


def section(results: Sequence[dict[str, Any]], figures: Path) -> Section:
    """Return divergence and cost of each method, and differences from auto."""
    del figures  # one table says it all
    lines = []
    names = [name for name in results[0] if name != "task"]
    for name in names:
        for k, figure in enumerate(("divergence", f"cost {UNEQUAL}")):
            values = [one[name][k] for one in results]
            lines.append(Line((name, figure), mean_and_error(values)[0]))
            if name != AUTO:
                minus = [one[name][k] - one[AUTO][k] for one in results]
                found = mean_and_error(minus)
                lines.append(Line((name, f"{figure}, minus auto's"), *found))
    how = (
        f"Not in any paper: {len(results)} drawn worlds of {_ROWS} rows whose verdicts"
        f" are probabilities with an error of {_ERROR} in the log-odds, said in tenths."
        " *auto* learns each row twice, with verdict and rest for weights, as it learns"
        " what people decided. The divergence (Kullback-Leibler) is from the true"
        " probability, the cost is expected under it."
    )
    columns = ("learnt", "figure")
    table = Table("Targets in doubt", columns, tuple(lines), digits=4, wide=True)
    return Section("auto where targets are in doubt", how, (table,), {})
