"""Boosters of stumps."""

from typing import Annotated, Literal

from pydantic import Field

from app.strict import StrictModel
from app.train.base import Fraction

__all__ = ["AbstentionBoostingTrainer", "AdaBoostTrainer"]

Rounds = Annotated[int, Field(ge=0, le=100_000)]
Bins = Annotated[int, Field(ge=2, le=255)] | Literal["auto"] | None
Rate = Annotated[float, Field(gt=0, le=1)]


class AbstentionBoostingTrainer(StrictModel):
    """Boosting with abstention of Cortes et al.: score and rejector at once."""

    kind: Literal["abstention-boosting"]
    n_rounds: Rounds = 200
    loss: Literal["exponential", "logistic"] = "exponential"
    surrogate: Literal["sum", "max"] = "sum"
    """``max`` takes symmetric costs only."""
    beta: Annotated[float, Field(ge=0)] = 0.0
    """Penalty on the sum of the weights."""
    step: Literal["line-search", "closed-form"] = "line-search"
    learning_rate: Rate = 1.0
    early_stopping: bool = False
    max_bins: Bins = "auto"
    """Histogram bins of a column; null searches every threshold."""
    validation_fraction: Fraction = 0.2
    """Part of the training rows that early stopping keeps apart."""
    patience: Annotated[int, Field(ge=1)] = 30
    """Rounds without gain after which early stopping ends."""


class AdaBoostTrainer(StrictModel):
    """AdaBoost on stumps; under the rule ``symmetric`` the paper's baseline TSB."""

    kind: Literal["adaboost"]
    n_rounds: Rounds = 200
    learning_rate: Rate = 1.0
    max_bins: Bins = "auto"
    """Histogram bins of a column; null searches every threshold."""
