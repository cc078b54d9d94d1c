"""The answer to a request of one row, by plain numbers.

What costs an array operation half a microsecond costs a number a twentieth of it. The
operations are those of many rows, one by one, so the answer has the same bits; a row
of which more is to be said (a missing value, an unseen category, a guard) goes the way
of many.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import ServedModel
from app.features.encoding import Encoder
from app.predict.answer import JudgedRow, Prediction, Tally, prediction
from app.predict.pricing import Pricing

__all__ = ["SingleRow"]

_WIDEST = 64
"""Columns above which arrays are faster."""


class SingleRow:
    """Answers of one model to one row at a time.

    Parameters
    ----------
    model : ServedModel
    encoder : Encoder
    """

    def __init__(self, model: ServedModel, encoder: Encoder) -> None:
        self._model, self._encoder = model, encoder
        self._takes = not model.guards and encoder.width <= _WIDEST

    def answer(
        self, cells: Sequence[float | bool | str | None], pricing: Pricing
    ) -> tuple[Prediction, Tally] | None:
        """Return the answer to a row; None where it takes the way of many.

        Parameters
        ----------
        cells : sequence
            The row's numbers, then its categories, in the order of the schema.
        pricing : Pricing

        Raises
        ------
        InvalidRequestError
            When the score is not finite.
        """
        encoded = self._encoder.encode_one(cells) if self._takes else None
        if encoded is None:
            return None
        X = np.array([encoded])
        told = self._model.scorer.outputs(X)
        score = told.score.item()
        value, band = score, pricing.band
        odds = score if told.log_odds is None else told.log_odds.item()
        p = self._probability(X, odds)
        if band.on == "probability" and p is not None:
            value = p
        reject_score = None if told.reject_score is None else told.reject_score.item()
        decision = band.decision_of(value, reject_score)
        row = JudgedRow(score, value, decision, p)
        return prediction(row, pricing, self._model.labels)

    def _probability(self, X: NDArray[np.float64], odds: float) -> float | None:
        if self._model.calibration is not None:
            return self._model.calibration.probability_of(odds)
        found = self._model.scorer.probability(X)
        return None if found is None else found.item()
