"""What has to be fitted for a list of candidates, each thing once.

Candidates that differ in their rule alone share their fits. Machines of labels with
the same kernel and class weights share the kernel's rows, which depend neither on C
nor on the loss; along ascending C each also starts from the solution before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.train.plan import Candidate
from app.train.trainers.svm import ReducibleMachine

__all__ = ["Fit", "shared"]


@dataclass(slots=True, eq=False)
class Fit:
    """One trainer with its parameters, for the candidates that need it.

    Parameters
    ----------
    candidate : Candidate
        The first of them.
    number : int
        Its place in the list, from 0.
    serves : list of int
        The places of all of them.
    """

    candidate: Candidate
    number: int
    serves: list[int] = field(default_factory=list)


def shared(candidates: Sequence[Candidate]) -> list[list[Fit]]:
    """Return the fits, those together that share kernel rows.

    The order of the candidates decides the order of the groups, and nothing else.
    """
    fits: dict[str, Fit] = {}
    for i, candidate in enumerate(candidates):
        key = candidate.request.trainer.model_dump_json()
        fits.setdefault(key, Fit(candidate, i)).serves.append(i)
    groups: dict[object, list[Fit]] = {}
    for key, fit in fits.items():
        groups.setdefault(_kernel(fit.candidate.request.trainer) or key, []).append(fit)
    return [sorted(group, key=_along_the_path) for group in groups.values()]


def _kernel(trainer: Any) -> object:
    """Return what decides the kernel rows; None where nothing can be shared."""
    if not isinstance(trainer, ReducibleMachine) or trainer.reduction is not None:
        return None
    chosen = trainer.model_dump_json(
        include={"kernel", "approximation", "class_weight"}
    )
    return "kernel", chosen


def _along_the_path(fit: Fit) -> tuple[str, float, str]:
    trainer = fit.candidate.request.trainer
    weight = float(getattr(trainer, "C", 0.0))
    return trainer.kind, weight, trainer.model_dump_json()
