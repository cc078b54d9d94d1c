"""Trainer kind -> the rules that fit its scores, and the one taken by default.

A score rule needs nothing but out-of-fold scores, so it fits every trainer. The
others are tied to what a score means:

* ``plug-in`` reads the score as a log-odds at p- and p+ (double hinge, P-SVM),
* ``bartlett-wegkamp`` reads it on the double hinge's own scale,
* ``embedded`` needs a rejector learnt together with the score (joint boosters).
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from app.train.trainers.boosting import (
    AbstentionBoostingTrainer,
    AbstentionTreesTrainer,
    AdaBoostTrainer,
    GradientBoostingTrainer,
)
from app.train.trainers.psvm import ProbabilisticLabelTrainer
from app.train.trainers.svm import DoubleHingeTrainer, HingeTrainer
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
    kind : str
    own_rules : tuple of str
        Rules that fit this trainer beside the score rules; the first is its default.
    probabilities : bool
        Whether the target may hold probabilities of +1.
    """

    kind: str
    own_rules: tuple[str, ...] = ()
    probabilities: bool = False

    @property
    def rules(self) -> tuple[str, ...]:
        """Return every rule that fits, of those that are registered."""
        return tuple(r for r in self.own_rules + SCORE_RULES if r in RULES)

    @property
    def default_rule(self) -> str:
        """Return the rule that is taken when the request names none."""
        return self.rules[0]


TRAINERS = {
    entry.kind: entry
    for entry in (
        TrainerKind("double-hinge-svm", ("plug-in", "bartlett-wegkamp")),
        TrainerKind("abstention-boosting", ("embedded",)),
        TrainerKind("abstention-trees", ("embedded",)),
        TrainerKind("p-svm", ("plug-in",), probabilities=True),
        TrainerKind("svm"),
        TrainerKind("adaboost"),
        TrainerKind("gradient-boosting"),
    )
}

Trainer = Annotated[
    DoubleHingeTrainer
    | AbstentionBoostingTrainer
    | AbstentionTreesTrainer
    | ProbabilisticLabelTrainer
    | HingeTrainer
    | AdaBoostTrainer
    | GradientBoostingTrainer,
    Field(discriminator="kind"),
]
