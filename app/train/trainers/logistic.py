"""Logistic regression, whose score is a weighted sum of the columns."""

from typing import Literal

from app.train.base import TrainerChoice, Weight

__all__ = ["LogisticTrainer"]


class LogisticTrainer(TrainerChoice):
    """Logistic regression; a score rule adds the reject option."""

    kind: Literal["logistic"]
    C: Weight = 1.0
    """Weight of the losses against the norm; larger fits the rows closer."""
    class_weight: Literal["balanced"] | None = None
    """``balanced`` weighs the classes as if they were equally frequent."""
