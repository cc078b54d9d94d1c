"""Ensembles: several trainers' log-odds, averaged by what they add on unseen rows."""

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from app.train.base import TrainerChoice
from app.train.trainers.declared import SCHEMAS, of_kind, one_of
from app.train.trainers.svm import HingeTrainer
from solvers.declarations import TRAINERS

__all__ = ["EnsembleTrainer", "Member"]

_MEMBERS = ("gradient-boosting", "logistic", "extra-trees", "forest", "adaboost")

if TYPE_CHECKING:
    Member = TrainerChoice
else:
    Member = one_of((HingeTrainer, *(SCHEMAS[kind] for kind in _MEMBERS)))


def _different(members: list[Any]) -> list[Any]:
    if any(member in members[:i] for i, member in enumerate(members)):
        kind, detail = "listed_twice", "two members are the same: list each one once"
        raise PydanticCustomError(kind, detail)
    return members


class _Members(TrainerChoice):
    """A trainer made of others."""

    members: (
        Annotated[
            list[Member],
            Field(min_length=1, max_length=50),
            AfterValidator(_different),
        ]
        | None
    ) = None
    """Trainers that know no prices; null: those of ``auto``. The first is always
    tried, whatever time it takes."""


EnsembleTrainer = of_kind(
    "ensemble",
    "EnsembleTrainer",
    "Calibrated log-odds of several trainers, averaged; a score rule comes on top.",
    TRAINERS["auto"].parameters,
    _Members,
)
