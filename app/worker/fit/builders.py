"""Trainer kind -> estimator, and what a fitted one says about itself.

This module loads numba and scikit-learn, so it is imported by the process that trains
(before it has a job, so that none waits for it), and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.train.trainers.kernels import kernel_parameters
from solvers.costs import CostMatrix
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC

__all__ = ["BUILDERS", "Builder"]

Make = Callable[[Any, CostMatrix | None, int], Any]


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
    link : function (fitted estimator) -> float, optional
        Slope of the estimator's own link P(y = +1) = 1 / (1 + exp(-slope f)); where
        there is one, no calibration is fitted.
    """

    make: Make
    facts: Callable[[Any], dict[str, Any]]
    missing_native: bool = False
    link: Callable[[Any], float] | None = None


def _machine_parameters(trainer: Any) -> dict[str, Any]:
    chosen = trainer.model_dump(exclude={"kind", "kernel"})
    return {**chosen, **kernel_parameters(trainer.kernel)}


def _machine_facts(machine: Any) -> dict[str, Any]:
    return {
        "support_vectors": len(machine.support_),
        "duality_gap": float(machine.duality_gap_),
        "iterations": int(machine.n_iter_),
        "solver": machine.solver_,
    }


def _double_hinge(trainer: Any, costs: CostMatrix | None, seed: int) -> Any:
    del seed  # nothing is drawn
    return DoubleHingeSVC(costs=costs, **_machine_parameters(trainer))


def _hinge(trainer: Any, costs: CostMatrix | None, seed: int) -> Any:
    del costs, seed  # the hinge knows no prices
    return HingeSVC(**_machine_parameters(trainer))


def _probabilistic(trainer: Any, costs: CostMatrix | None, seed: int) -> Any:
    del seed  # nothing is drawn
    return ProbabilisticLabelSVC(costs=costs, **_machine_parameters(trainer))


def _link_slope(machine: Any) -> float:
    return float(machine.link_slope_)


BUILDERS = {
    "double-hinge-svm": Builder(_double_hinge, _machine_facts),
    "p-svm": Builder(_probabilistic, _machine_facts, link=_link_slope),
    "svm": Builder(_hinge, _machine_facts),
}
