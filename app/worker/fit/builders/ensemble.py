"""Ensembles: members by their own builders, and the table of what became of them."""

from collections.abc import Sequence
from typing import Any

from app.train.trainers.ensemble import Member
from app.worker.fit.builders.base import Builder, Facts, Setting
from app.worker.fit.builders.boosting import (
    ADABOOST,
    EXTRA_TREES,
    FOREST,
    GRADIENT_BOOSTING,
)
from app.worker.fit.builders.kernel_machines import HINGE, LOGISTIC
from solvers.trainers.ensemble import EnsembleRejectClassifier
from solvers.trainers.ensemble_members import LATE

__all__ = ["ENSEMBLE"]

_BUILDERS = {
    "svm": HINGE,
    "gradient-boosting": GRADIENT_BOOSTING,
    "logistic": LOGISTIC,
    "extra-trees": EXTRA_TREES,
    "forest": FOREST,
    "adaboost": ADABOOST,
}


def _ensemble(trainer: Any, setting: Setting) -> Any:
    named = getattr(trainer, "members", None)
    members = None
    if named is not None:
        members = [
            (_name(member), _BUILDERS[member.kind].make(member, setting))
            for member in named
        ]
    return EnsembleRejectClassifier(
        members, budget_seconds=trainer.budget_seconds, random_state=setting.seed
    )


def _name(member: Member) -> str:
    """Return the kind of a member, and what the request says of it."""
    parameters = member.model_dump(exclude_unset=True, exclude={"kind"})
    return " ".join(
        [member.kind, *(f"{name}={value}" for name, value in parameters.items())]
    )


def _facts(ensemble: Any, names: Sequence[str]) -> Facts:
    del names  # the version's influence tells what the columns do
    return {"members": ensemble.table_, "log_loss": ensemble.log_loss_}


def _notes(ensemble: Any) -> list[str]:
    late = sum(line["dropped"] == LATE for line in ensemble.table_)
    if not late:
        return []
    return [
        f"{late} of {len(ensemble.table_)} members were left out for want of time:"
        " a larger budget_seconds tries them"
    ]


ENSEMBLE = Builder(
    _ensemble, _facts, notes=_notes, keeps_apart=True, scores_unseen=True
)
