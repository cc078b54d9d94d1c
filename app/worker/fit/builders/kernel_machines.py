"""Kernel machines, their approximations and reductions, and logistic regression."""

from collections.abc import Sequence
from typing import Any

from app.artifacts.rating import Rating
from app.train.trainers.svm import ReducibleMachine
from app.worker.fit.builders.base import Builder, Facts, Setting, made_by, parameters
from solvers.costs import CostMatrix
from solvers.trainers.logistic import LogisticRejectClassifier
from solvers.trainers.multi_hinge import MultiHingeSVC
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.reduced_set import ReducedSetSVC
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC

__all__ = ["DOUBLE_HINGE", "HINGE", "LOGISTIC", "MULTI_HINGE", "PROBABILISTIC_LABEL"]


_CERTIFIED = (
    "duality_gap is that of the approximated problem: it does not tell how near this"
    " machine is to the exact one"
)


def _machine_facts(machine: Any, names: Sequence[str]) -> Facts:
    del names  # a kernel machine does not tell its columns apart
    facts = {
        "support_vectors": len(machine.support_),
        "duality_gap": float(machine.duality_gap_),
        "iterations": int(machine.n_iter_),
        "solver": machine.solver_,
    }
    if _is_reduced(machine):
        return {**facts, "reduction": machine.report_}
    if machine.landmarks is None:
        return facts
    approximation = {
        "landmarks": int(machine.landmarks),
        "rank": machine.rank_,
        "certificate": _CERTIFIED,
    }
    return {**facts, "approximation": approximation}


def _is_reduced(machine: Any) -> bool:
    return isinstance(machine, ReducedSetSVC)


def _double_hinge(trainer: ReducibleMachine, setting: Setting) -> Any:
    if trainer.reduction is None:
        return made_by(DoubleHingeSVC)(trainer, setting)
    return _reduced(trainer, setting.costs or CostMatrix(), setting.seed)


def _hinge(trainer: ReducibleMachine, setting: Setting) -> Any:
    if trainer.reduction is None:
        return made_by(HingeSVC)(trainer, setting)
    return _reduced(trainer, None, setting.seed)


def _reduced(trainer: ReducibleMachine, costs: CostMatrix | None, seed: int) -> Any:
    chosen = (
        trainer.reduction.model_dump(exclude_none=True) if trainer.reduction else {}
    )
    return ReducedSetSVC(
        method=chosen.pop("kind"),
        costs=costs,
        random_state=seed,
        **chosen,
        **parameters(trainer),
    )


def _compared(machine: Any, matrix: Any, signs: Any, weight: Any) -> Facts:
    """Return the machine before and after its reduction, on these rows."""
    if not _is_reduced(machine):
        return {}
    return {"reduction": machine.compare(matrix, signs, weight)}


def _notes(machine: Any) -> list[str]:
    why = machine.report_["fallback"] if _is_reduced(machine) else None
    return [] if why is None else [f"the machine was not reduced: {why}"]


def _link_slope(machine: Any) -> float:
    return float(machine.link_slope_)


def _rating(machine: Any) -> Rating:
    bounds = tuple(map(float, machine.probabilities))
    return Rating(bounds, tuple(machine.thresholds_.tolist()))


def _logistic_facts(machine: Any, names: Sequence[str]) -> Facts:
    return {
        "coefficients": dict(zip(names, machine.coef_[0].tolist(), strict=True)),
        "intercept": float(machine.intercept_[0]),
        "iterations": machine.n_iter_,
    }


_LABELS: dict[str, Any] = {
    "facts": _machine_facts,
    "compare": _compared,
    "notes": _notes,
    "takes_prices": True,  # the hinge too: a search fits both on one task
}
DOUBLE_HINGE = Builder(_double_hinge, **_LABELS)
HINGE = Builder(_hinge, **_LABELS)
MULTI_HINGE = Builder(made_by(MultiHingeSVC), _machine_facts, rating=_rating)
PROBABILISTIC_LABEL = Builder(
    made_by(ProbabilisticLabelSVC),
    _machine_facts,
    link=_link_slope,
)
LOGISTIC = Builder(made_by(LogisticRejectClassifier), _logistic_facts)
