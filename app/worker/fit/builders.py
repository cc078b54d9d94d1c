"""Trainer kind -> estimator, and what a fitted one says about itself.

This module loads numba and scikit-learn, so it is imported by the process that trains
(before it has a job, so that none waits for it), and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.train.trainers.kernels import kernel_parameters
from app.train.trainers.psvm import ProbabilisticLabelTrainer
from app.train.trainers.svm import (
    DoubleHingeTrainer,
    HingeTrainer,
    KernelMachine,
    ReducibleMachine,
)
from solvers.costs import CostMatrix
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.reduced_set import ReducedSetSVC
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC

__all__ = ["BUILDERS", "Builder"]

Make = Callable[[Any, CostMatrix | None, int], Any]


def _nothing(*_: Any) -> dict[str, Any]:
    return {}


def _silence(_: Any) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Builder:
    """How a trainer becomes an estimator.

    Parameters
    ----------
    make : function (trainer parameters, costs, seed) -> estimator
    facts : function (fitted estimator) -> dict
        JSON facts for the version.
    missing_native : bool
        Whether the estimator reads NaN itself.
    compare : function (fitted estimator, matrix, signs, weights) -> dict
        What the evaluation says beyond the figures that every model has.
    notes : function (fitted estimator) -> list of str
        What its user should know.
    link : function (fitted estimator) -> float, optional
        Slope of the estimator's own link P(y = +1) = 1 / (1 + exp(-slope f)); where
        there is one, no calibration is fitted.
    """

    make: Make
    facts: Callable[[Any], dict[str, Any]]
    missing_native: bool = False
    compare: Callable[[Any, Any, Any, Any], dict[str, Any]] = _nothing
    notes: Callable[[Any], list[str]] = _silence
    link: Callable[[Any], float] | None = None


def _machine_parameters(trainer: KernelMachine) -> dict[str, Any]:
    chosen = trainer.model_dump(exclude={"kind", "kernel", "reduction"})
    return {**chosen, **kernel_parameters(trainer.kernel)}


def _machine_facts(machine: Any) -> dict[str, Any]:
    facts = {
        "support_vectors": len(machine.support_),
        "duality_gap": float(machine.duality_gap_),
        "iterations": int(machine.n_iter_),
        "solver": machine.solver_,
    }
    return {**facts, "reduction": machine.report_} if _is_reduced(machine) else facts


def _is_reduced(machine: Any) -> bool:
    return isinstance(machine, ReducedSetSVC)


def _double_hinge(
    trainer: DoubleHingeTrainer, costs: CostMatrix | None, seed: int
) -> Any:
    if trainer.reduction is None:
        return DoubleHingeSVC(costs=costs, **_machine_parameters(trainer))
    return _reduced(trainer, costs or CostMatrix(), seed)


def _hinge(trainer: HingeTrainer, costs: CostMatrix | None, seed: int) -> Any:
    del costs  # the hinge knows no prices
    if trainer.reduction is None:
        return HingeSVC(**_machine_parameters(trainer))
    return _reduced(trainer, None, seed)


def _reduced(trainer: ReducibleMachine, costs: CostMatrix | None, seed: int) -> Any:
    chosen = (
        trainer.reduction.model_dump(exclude_none=True) if trainer.reduction else {}
    )
    return ReducedSetSVC(
        method=chosen.pop("kind"),
        costs=costs,
        random_state=seed,
        **chosen,
        **_machine_parameters(trainer),
    )


def _compared(machine: Any, matrix: Any, signs: Any, weight: Any) -> dict[str, Any]:
    """Return the machine before and after its reduction, on these rows."""
    if not _is_reduced(machine):
        return {}
    return {"reduction": machine.compare(matrix, signs, weight)}


def _notes(machine: Any) -> list[str]:
    why = machine.report_["fallback"] if _is_reduced(machine) else None
    return [] if why is None else [f"the machine was not reduced: {why}"]


def _probabilistic(
    trainer: ProbabilisticLabelTrainer, costs: CostMatrix | None, seed: int
) -> Any:
    del seed  # nothing is drawn
    return ProbabilisticLabelSVC(costs=costs, **_machine_parameters(trainer))


def _link_slope(machine: Any) -> float:
    return float(machine.link_slope_)


BUILDERS = {
    "double-hinge-svm": Builder(
        _double_hinge, _machine_facts, compare=_compared, notes=_notes
    ),
    "p-svm": Builder(_probabilistic, _machine_facts, link=_link_slope),
    "svm": Builder(_hinge, _machine_facts, compare=_compared, notes=_notes),
}
