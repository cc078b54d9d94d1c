"""From the parameters of a reduction to its plan, checked once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from solvers.errors import UnknownNameError
from solvers.kernel_declarations import FIRST_STAGE, REDUCTIONS
from solvers.kernels import Kernel
from solvers.rules.base import as_costs
from solvers.trainers.reduction_stages import LabelledRows, MachineSettings, Plan
from solvers.trainers.targets import class_odds

__all__ = ["check_reduction", "make_plan"]


def check_reduction(given: Mapping[str, Any]) -> None:
    """Raise ValueError for parameters of ``ReducedSetSVC`` that do not go together.

    Parameters
    ----------
    given : mapping
        The constructor's parameters by name.
    """
    if given["method"] not in REDUCTIONS:
        what = "reduction method"
        raise UnknownNameError(what, given["method"], tuple(REDUCTIONS))
    if (given["method"] == "landmarks") != (given["landmarks"] is not None):
        msg = (
            'landmarks, a number of support vectors, belongs to method="landmarks",'
            f" and to it alone; got {given['landmarks']!r} for {given['method']!r}"
        )
        raise ValueError(msg)
    stage = dict(given["first_stage"] or {})
    for parameter in FIRST_STAGE:
        if parameter.name in stage:
            parameter.check(stage.pop(parameter.name))
    if stage:
        msg = (
            f"first_stage takes {', '.join(p.name for p in FIRST_STAGE)};"
            f" got {', '.join(sorted(map(repr, stage)))}"
        )
        raise ValueError(msg)


def make_plan(given: Mapping[str, Any], kernel: Kernel, rows: LabelledRows) -> Plan:
    """Return the reduction that the parameters describe, gammas learnt from rows.

    Parameters
    ----------
    given : mapping
        The constructor's parameters by name, checked.
    kernel : Kernel
        Of the last machine, resolved.
    rows : LabelledRows
    """
    costs = None if given["costs"] is None else as_costs(given["costs"])
    last = MachineSettings(
        kernel=kernel,
        C=float(given["C"]),
        solver=given["solver"],
        tol=float(given["tol"]),
        cache_size=float(given["cache_size"]),
        max_iter=int(given["max_iter"]),
        costs=costs,
        odds=class_odds(rows.factors, rows.signs),
    )
    own = dict(given["first_stage"] or {})
    first = replace(
        last,
        C=own.pop("C", last.C),
        kernel=replace(kernel, **own).resolved(rows.X, rows.weights),
        costs=None,
    )
    separable = first.kernel == kernel and given["method"] in {"sca", "ssca"}
    automatic = separable and costs is None
    return Plan(
        method=given["method"],
        rejection_cost=float(given["rejection_cost"]),
        distance=float(given["distance"]),
        removal=given["removal"],
        first=first,
        last=last,
        hard_margin=automatic
        if given["hard_margin"] == "auto"
        else bool(given["hard_margin"]),
        max_accuracy_loss=given["max_accuracy_loss"],
        validation_fraction=float(given["validation_fraction"]),
        random_state=given["random_state"],
        landmarks=given["landmarks"],
    )
