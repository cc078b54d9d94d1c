"""Trainer kind -> the rules that fit its scores.

A score rule needs nothing but out-of-fold scores, so it fits every trainer. The
others are tied to what a score means:

* ``plug-in`` reads the score as a log-odds at p- and p+ (double hinge; the P-SVM, by
  its link, where targets are probabilities),
* ``bartlett-wegkamp`` reads it on the double hinge's own scale,
* ``embedded`` needs a rejector learnt together with the score (joint boosters).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from app.train.base import TrainerChoice
from app.train.trainers.declared import SCHEMAS, one_of
from app.train.trainers.ensemble import EnsembleTrainer
from app.train.trainers.scores import ScoresTrainer
from app.train.trainers.svm import (
    DoubleHingeTrainer,
    HingeTrainer,
    MultiHingeTrainer,
    ProbabilisticLabelTrainer,
)
from solvers.rules.registry import RULES

__all__ = ["TRAINERS", "Trainer", "TrainerKind"]

SCORE_RULES = (
    "chow",
    "expected-cost",
    "symmetric",
    "mutual-information",
    "bounded-abstention",
    "bounded-error",
    "bounded-cost",
)


@dataclass(frozen=True, slots=True)
class TrainerKind:
    """One row of the table.

    Parameters
    ----------
    schema : type of TrainerChoice
        What a request says of it.
    own_rules : tuple of str
        Rules that fit this trainer beside the score rules.
    probabilities : bool
        Whether the target may hold probabilities of +1.
    """

    schema: type[TrainerChoice]
    own_rules: tuple[str, ...] = ()
    probabilities: bool = False

    @property
    def kind(self) -> str:
        """Return the name by which a request asks for it."""
        kind: str = get_args(self.schema.model_fields["kind"].annotation)[0]
        return kind

    @property
    def rules(self) -> tuple[str, ...]:
        """Return every rule that fits, of those that are registered."""
        return tuple(r for r in self.own_rules + SCORE_RULES if r in RULES)


TRAINERS = {
    entry.kind: entry
    for entry in (
        TrainerKind(DoubleHingeTrainer, ("plug-in", "bartlett-wegkamp")),
        TrainerKind(SCHEMAS["abstention-boosting"], ("embedded",)),
        TrainerKind(SCHEMAS["abstention-trees"], ("embedded",)),
        TrainerKind(ProbabilisticLabelTrainer, ("plug-in",), probabilities=True),
        TrainerKind(HingeTrainer),
        TrainerKind(MultiHingeTrainer),
        TrainerKind(SCHEMAS["adaboost"]),
        TrainerKind(SCHEMAS["gradient-boosting"]),
        TrainerKind(SCHEMAS["logistic"]),
        TrainerKind(SCHEMAS["extra-trees"]),
        TrainerKind(SCHEMAS["forest"]),
        TrainerKind(EnsembleTrainer),
        TrainerKind(SCHEMAS["auto"]),
        TrainerKind(ScoresTrainer),
    )
}

if TYPE_CHECKING:
    Trainer = TrainerChoice
else:
    Trainer = one_of(entry.schema for entry in TRAINERS.values())
