"""From the parameters of a reduction to its plan, checked once."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from solvers.errors import UnknownNameError
from solvers.kernels import Kernel
from solvers.reduction import METHODS, REMOVALS
from solvers.rules.base import as_costs
from solvers.scalars import check_within, is_number
from solvers.trainers.reduction_stages import MachineSettings, Plan, TrainingRows
from solvers.trainers.targets import class_odds

__all__ = ["check_reduction", "make_plan"]

_STAGE_PARAMETERS = ("C", "gamma", "degree", "coef0")


def check_reduction(given: Mapping[str, Any]) -> None:
    """Raise ValueError for a parameter of ``ReducedSetSVC`` out of range.

    Parameters
    ----------
    given : mapping
        The constructor's parameters by name.
    """
    for name, value, known in (
        ("reduction method", given["method"], METHODS),
        ("removal", given["removal"], REMOVALS),
    ):
        if value not in known:
            raise UnknownNameError(name, value, known)
    if given["hard_margin"] not in {"auto", True, False}:
        msg = f'hard_margin must be "auto" or a bool, got {given["hard_margin"]!r}'
        raise ValueError(msg)
    check_within("rejection_cost", given["rejection_cost"], above=0.0, below=1.0)
    check_within(
        "validation_fraction", given["validation_fraction"], above=0.0, below=1.0
    )
    if not (is_number(given["distance"]) and 0.0 <= given["distance"] < np.inf):
        msg = f"distance must be a finite number >= 0, got {given['distance']!r}"
        raise ValueError(msg)
    loss = given["max_accuracy_loss"]
    if loss is not None and not (is_number(loss) and 0.0 <= loss <= 1.0):
        msg = f"max_accuracy_loss must be None or within [0, 1], got {loss!r}"
        raise ValueError(msg)
    if (given["method"] == "landmarks") != (given["landmarks"] is not None):
        msg = (
            'landmarks, a number of support vectors, belongs to method="landmarks",'
            f" and to it alone; got {given['landmarks']!r} for {given['method']!r}"
        )
        raise ValueError(msg)
    unknown = set(given["first_stage"] or ()) - set(_STAGE_PARAMETERS)
    if unknown:
        msg = (
            f"first_stage takes {', '.join(_STAGE_PARAMETERS)};"
            f" got {', '.join(sorted(map(repr, unknown)))}"
        )
        raise ValueError(msg)


def make_plan(given: Mapping[str, Any], kernel: Kernel, rows: TrainingRows) -> Plan:
    """Return the reduction that the parameters describe, gammas learnt from rows.

    Parameters
    ----------
    given : mapping
        The constructor's parameters by name, checked.
    kernel : Kernel
        Of the last machine, resolved.
    rows : TrainingRows
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
