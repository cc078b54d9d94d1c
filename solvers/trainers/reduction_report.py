"""Before and after a support vector reduction, and whether it may stand.

The table compares the unreduced and the reduced machine on the same rows. With a bound
on the loss of accuracy, both are first fitted without a part of the rows and compared
on that part: a loss on the rows that were fitted would say little.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from solvers.dual.registry import Progress
from solvers.reduction import rejection_risk
from solvers.trainers.reduction_stages import (
    LabelledRows,
    Machine,
    Plan,
    Reduction,
    run,
)

__all__ = ["compared", "reduce"]

Floats = NDArray[np.float64]
Table: TypeAlias = dict[str, Any]

_ONE_CLASS = "only one class was left after the reduction"


def reduce(
    plan: Plan, rows: LabelledRows, progress: Progress | None
) -> tuple[Reduction, dict[str, Any]]:
    """Carry out a reduction and report on it.

    Parameters
    ----------
    plan : Plan
    rows : LabelledRows
    progress : callable or None

    Returns
    -------
    outcome : Reduction
    report : dict
        As ``ReducedSetSVC.report_``.
    """
    parts = None if plan.max_accuracy_loss is None else _parts(plan, rows)
    stages = 1 if parts is None else 2
    validation = None
    if parts is not None:
        fitted, unseen = parts
        trial = run(plan, rows.take(fitted), _shares(progress, 0, stages))
        X = rows.X[unseen][:, fitted] if rows.square else rows.X[unseen]
        seen_as = compared(plan, trial, X, rows.signs[unseen], rows.weights[unseen])
        validation = {"rows": len(unseen), **seen_as}
    outcome = run(plan, rows, _shares(progress, stages - 1, stages))
    training = compared(plan, outcome, rows.X, rows.signs, rows.weights)
    fallback = _objection(plan, training, validation)
    return outcome, {
        "method": plan.method,
        "removal": plan.removal,
        "rows": len(rows.signs),
        "rejected": int(outcome.marks.rejected.sum()),
        "misclassified": int(outcome.marks.wrong.sum()),
        "removed": outcome.changes.removed,
        "flipped": outcome.changes.flipped,
        "posterior_threshold": outcome.marks.threshold,
        **training,
        "validation": validation,
        "reduced": fallback is None,
        "fallback": fallback,
    }


def compared(
    plan: Plan, outcome: Reduction, X: Any, signs: Floats, weights: Floats
) -> Table:
    """Return the table of both machines on some rows.

    Parameters
    ----------
    plan : Plan
    outcome : Reduction
    X : array or CSR matrix
        For the precomputed kernel: one column for each of the rows of the fit.
    signs, weights : arrays of shape (n_rows,)

    Returns
    -------
    dict
        ``before``, ``after`` and ``decision_agreement``; the latter two None when
        there is no reduced machine.
    """
    before, decided = _quality(plan, outcome.unreduced, X, signs, weights)
    after, agreement = None, None
    if outcome.reduced is not None:
        square = plan.last.kernel.kind == "precomputed"
        whole = outcome.reduced is outcome.unreduced
        columns = X[:, outcome.changes.kept] if square and not whole else X
        after, again = _quality(plan, outcome.reduced, columns, signs, weights)
        agreement = float(np.average(decided == again, weights=weights))
    return {"before": before, "after": after, "decision_agreement": agreement}


def _quality(
    plan: Plan, machine: Machine, X: Any, signs: Floats, weights: Floats
) -> tuple[Table, NDArray[np.int8]]:
    """Return a machine's row of the table, and its decisions."""
    scores = machine.positive_score(X)
    predicted = np.where(scores > 0, 1, -1)
    decisions = machine.decide(X)
    if plan.last.costs is None:
        cost, rejected = rejection_risk(scores, signs, weights, plan.rejection_cost)
    else:
        paid = plan.last.costs.of_decisions(signs, decisions)
        cost = float(np.average(paid, weights=weights))
        rejected = float(np.average(decisions == 0, weights=weights))
    facts = {
        "support_vectors": len(machine.support_),
        "accuracy": float(np.average(predicted == signs, weights=weights)),
        "cost": cost,
        "reject_rate": rejected,
    }
    return facts, decisions


def _objection(plan: Plan, training: Table, validation: Table | None) -> str | None:
    """Return why the reduced machine may not stand, or None."""
    judged = training if validation is None else validation
    if training["after"] is None or judged["after"] is None:
        return _ONE_CLASS
    if plan.max_accuracy_loss is None:
        return None
    loss = judged["before"]["accuracy"] - judged["after"]["accuracy"]
    if loss <= plan.max_accuracy_loss:
        return None
    where = "training" if validation is None else f"{validation['rows']} validation"
    return (
        f"the reduction costs {loss:.4g} of the accuracy on {where} rows, more than"
        f" max_accuracy_loss={plan.max_accuracy_loss:g}; the unreduced machine is kept"
    )


def _parts(
    plan: Plan, rows: LabelledRows
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return the rows to fit and those to judge on; None when there are too few."""
    n = len(rows.signs)
    unseen = int(np.ceil(plan.validation_fraction * n))
    smaller = min(int((rows.signs > 0).sum()), int((rows.signs < 0).sum()))
    if smaller < 2 or unseen < 2 or n - unseen < 2:
        return None
    parts = train_test_split(
        np.arange(n),
        test_size=unseen,
        stratify=rows.signs,
        random_state=plan.random_state,
    )
    return np.sort(parts[0]), np.sort(parts[1])


def _shares(
    progress: Progress | None, stage: int, stages: int
) -> Callable[[int, int], Progress | None]:
    """Return a function that gives each machine of a stage its part of the progress."""

    def share(number: int, machines: int) -> Progress | None:
        if progress is None:
            return None
        width = 1.0 / (stages * machines)
        begin = stage / stages + number * width
        return lambda fraction, message: progress(begin + width * fraction, message)

    return share
