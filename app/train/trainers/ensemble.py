"""Ensembles: several trainers' log-odds, averaged by what they add on unseen rows."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from app.train.base import TrainerChoice
from app.train.trainers.declared import SCHEMAS, one_of
from app.train.trainers.svm import HingeTrainer

__all__ = ["AutoTrainer", "EnsembleTrainer", "Member"]

Budget = Annotated[float, Field(ge=0.001, le=86_400)]
_MEMBERS = ("gradient-boosting", "logistic", "extra-trees", "forest", "adaboost")

if TYPE_CHECKING:
    Member = TrainerChoice
else:
    Member = one_of((HingeTrainer, *(SCHEMAS[kind] for kind in _MEMBERS)))


def _different(members: list[Any]) -> list[Any]:
    if any(member in members[:i] for i, member in enumerate(members)):
        kind, told = "listed_twice", "two members are the same: list each one once"
        raise PydanticCustomError(kind, told)
    return members


class AutoTrainer(TrainerChoice):
    """The ensemble of kernel machines, boosting, logistic regression, random trees.

    With ``search.candidates`` those are compared instead.
    """

    kind: Literal["auto"]
    budget_seconds: Budget = 60.0
    """Time for the whole fit: when three quarters of it have passed, members that are
    not tried yet are left out. The quickest are always tried, and those that were
    chosen are fitted to the end."""


class EnsembleTrainer(TrainerChoice):
    """Calibrated log-odds of several trainers, averaged; a score rule comes on top."""

    kind: Literal["ensemble"]
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
    budget_seconds: Budget = 60.0
    """As for ``auto``."""
