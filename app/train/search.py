"""A search, as a request asks for it: parameters to vary, or trainers to compare.

A parameter is named as in the trainer's own object, with dots into its kernel and its
reduction: ``C``, ``kernel.gamma``, ``reduction.distance``. Every combination of the
listed values is one candidate. Several trainers stand under ``candidates``, each with
parameters of its own to vary.
"""

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model

from app.strict import MadeModel, StrictModel
from app.train.trainers.registry import TRAINERS

__all__ = [
    "FOLDS",
    "MOST_CANDIDATES",
    "Candidate",
    "Params",
    "Search",
]

MOST_CANDIDATES = 100
FOLDS = 5
_PARAMS = (
    "Values to try, by the parameter's name; a dot leads into the kernel or the"
    " reduction (`kernel.gamma`). Every combination is one candidate."
)
_EXAMPLE = {"C": [0.1, 1, 10], "kernel.gamma": [0.01, "scale"]}

Params = Annotated[
    dict[str, Annotated[list[Any], Field(min_length=1, max_length=MOST_CANDIDATES)]],
    Field(min_length=1, max_length=20, description=_PARAMS, examples=[_EXAMPLE]),
]


class Candidate(StrictModel):
    """A trainer to compare, told apart by ``kind``."""

    kind: str
    params: dict[str, list[Any]] | None = None


def _candidate(trainer: type[StrictModel]) -> type[StrictModel]:
    added: dict[str, Any] = {"params": (Params | None, None)}
    name = trainer.__name__.removesuffix("Trainer") + "Candidate"
    return create_model(
        name, __base__=(trainer, MadeModel), __doc__=trainer.__doc__, **added
    )


_TRAINERS = [one.schema for kind, one in TRAINERS.items() if kind != "auto"]

if TYPE_CHECKING:
    OneCandidate = Candidate
else:
    OneCandidate = Annotated[
        reduce(or_, map(_candidate, _TRAINERS)), Field(discriminator="kind")
    ]


class Search(StrictModel):
    """Try several candidates on folds of the training rows; the cheapest is trained.

    At most 100 candidates. Every fold of the training rows is decided by a model and a
    rule that saw none of its scores; the candidate with the least mean cost wins, is
    fitted on the whole training part, and is evaluated on the held-out rows.
    """

    params: Params | None = None
    candidates: (
        Annotated[list[OneCandidate], Field(min_length=1, max_length=MOST_CANDIDATES)]
        | None
    ) = None
    """Trainers to compare; then the request names no other trainer (or ``auto``)."""
    folds: Annotated[int, Field(ge=2, le=20)] = FOLDS
    """Parts of the training rows that are decided in turn; fewer where a class has
    fewer rows. With ``order_by`` each is later than what its model learnt from."""
