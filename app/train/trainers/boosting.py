"""Boosters: of stumps (joint, and AdaBoost) and of trees (joint, and of log loss)."""

from typing import Annotated, Literal

from pydantic import Field

from app.train.base import Part, TrainerChoice, Weight

__all__ = [
    "AbstentionBoostingTrainer",
    "AbstentionTreesTrainer",
    "AdaBoostTrainer",
    "GradientBoostingTrainer",
]

Rounds = Annotated[int, Field(ge=1, le=100_000)]
Bins = Annotated[int, Field(ge=2, le=255)] | Literal["auto"] | None
Depth = Annotated[int, Field(ge=1, le=16)]
Patience = Annotated[int, Field(ge=1, le=100_000)]
"""As many as there may be rounds."""
Rate = Annotated[float, Field(ge=1e-6, le=1)]
"""Smaller steps lead nowhere within the rounds that there may be."""


class AbstentionBoostingTrainer(TrainerChoice):
    """Boosting with abstention of Cortes et al.: score and rejector at once."""

    kind: Literal["abstention-boosting"]
    n_rounds: Rounds = 200
    loss: Literal["exponential", "logistic"] = "exponential"
    surrogate: Literal["sum", "max"] = "sum"
    """``max`` takes symmetric costs only."""
    beta: Annotated[float, Field(ge=0, le=1e6)] = 0.0
    """Penalty on the sum of the weights; one above the prices leaves all at zero."""
    step: Literal["line-search", "closed-form"] = "line-search"
    learning_rate: Rate = 1.0
    early_stopping: bool = False
    max_bins: Bins = "auto"
    """Histogram bins of a column; null searches every threshold."""
    validation_fraction: Part = 0.2
    """Part of a fold's rows that early stopping keeps apart, ``groups`` whole. Models
    of the folds tell where to stop; then all models are fitted on all of their rows,
    with the mean number of rounds."""
    patience: Patience = 30
    """Rounds without gain after which early stopping ends."""


class AdaBoostTrainer(TrainerChoice):
    """AdaBoost on stumps; under the rule ``symmetric`` the paper's baseline TSB."""

    kind: Literal["adaboost"]
    n_rounds: Rounds = 200
    learning_rate: Rate = 1.0
    max_bins: Bins = "auto"
    """Histogram bins of a column; null searches every threshold."""


class AbstentionTreesTrainer(TrainerChoice):
    """Second-order boosting of a score and a rejector by trees of two outputs."""

    kind: Literal["abstention-trees"]
    n_rounds: Rounds = 500
    loss: Literal["logistic", "exponential"] = "logistic"
    max_depth: Annotated[int, Field(ge=1, le=8)] = 2
    learning_rate: Rate = 0.1
    l2_regularization: Weight = 1.0
    min_leaf_weight: Annotated[float, Field(ge=1e-9, le=1e12)] = 5.0
    """Least sum of row weights in a leaf: rows, where there are no weights. A leaf
    that needs more than half of all leaves nothing to split."""
    early_stopping: bool = True
    validation_fraction: Part = 0.2
    """Part of a fold's rows that early stopping keeps apart, ``groups`` whole. Models
    of the folds tell where to stop; then all models are fitted on all of their rows,
    with the mean number of rounds."""
    patience: Patience = 50
    max_bins: Annotated[int, Field(ge=2, le=255)] | Literal["auto"] = "auto"


class GradientBoostingTrainer(TrainerChoice):
    """Gradient-boosted trees on the log loss; a score rule adds the reject option."""

    kind: Literal["gradient-boosting"]
    n_rounds: Rounds = 500
    learning_rate: Rate = 0.1
    max_depth: Depth = 3
    min_samples_leaf: Annotated[int, Field(ge=1, le=1_000_000)] = 5
    """Least rows in a leaf; one that needs more than half of all leaves nothing to
    split."""
    l2_regularization: Annotated[float, Field(ge=0, le=1e9)] = 1.0
    early_stopping: bool = True
    validation_fraction: Part = 0.2
    """Part of a fold's rows that early stopping keeps apart, ``groups`` whole. Models
    of the folds tell where to stop; then all models are fitted on all of their rows,
    with the mean number of rounds."""
    patience: Patience = 30
    max_bins: Annotated[int, Field(ge=2, le=255)] = 255
