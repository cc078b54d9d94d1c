"""Trainer kind -> estimator, and what a fitted one says about itself.

Estimators are imported when they are built: numba and scikit-learn load in the child
process that trains, and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.train.trainers.kernels import kernel_parameters
from solvers.costs import CostMatrix

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
    """

    make: Make
    facts: Callable[[Any], dict[str, Any]]
    missing_native: bool = False


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
    from solvers.trainers.svm import DoubleHingeSVC  # noqa: PLC0415 - see above

    del seed  # nothing is drawn
    return DoubleHingeSVC(costs=costs, **_machine_parameters(trainer))


def _hinge(trainer: Any, costs: CostMatrix | None, seed: int) -> Any:
    from solvers.trainers.svm import HingeSVC  # noqa: PLC0415 - see above

    del costs, seed  # the hinge knows no prices
    return HingeSVC(**_machine_parameters(trainer))


BUILDERS = {
    "double-hinge-svm": Builder(_double_hinge, _machine_facts),
    "svm": Builder(_hinge, _machine_facts),
}
