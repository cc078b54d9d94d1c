"""Scores of a model elsewhere: nothing is fitted but the stand-in of a missing one."""

from typing import Any, Self

import numpy as np

from app.train.trainers.scores import ScoresTrainer
from app.worker.fit.builders.base import Builder, Setting

__all__ = ["SCORES"]


class _GivenScores:
    """What the pipeline takes for an estimator.

    Parameters
    ----------
    probability : bool
        Whether the scores are probabilities of +1.
    """

    def __init__(self, *, probability: bool) -> None:
        self._probability = probability
        self._stand_in = 0.0

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the median score."""
        del y, sample_weight
        known = X[~np.isnan(X)]
        if len(known):
            self._stand_in = float(np.median(known))
        return self

    def scorer_payload(self) -> dict[str, Any]:
        """Return the scorer as plain data."""
        return {
            "kind": "given",
            "probability": self._probability,
            "stand_in": self._stand_in,
        }


def _scores(trainer: ScoresTrainer, setting: Setting) -> Any:
    del setting  # nothing depends on prices, nothing is drawn
    return _GivenScores(probability=trainer.scale == "probability")


SCORES = Builder(_scores, missing_native=True, learns=False)
