"""Scores that a model of the user's gave: nothing is fitted but what follows them."""

from typing import Literal

from app.train.base import ColumnName, TrainerChoice

__all__ = ["ScoresTrainer"]


class ScoresTrainer(TrainerChoice):
    """Scores of a model elsewhere, on rows that it did not learn from."""

    kind: Literal["scores"]
    column: ColumnName
    """The column of scores, the larger the likelier +1; other columns are left out."""
    scale: Literal["probability", "log-odds", "any"] = "any"
    """``probability``: from 0 to 1, read as log-odds. Whatever the scale, the
    probability that is shown is calibrated on the labels."""
