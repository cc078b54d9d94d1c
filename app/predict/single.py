"""The answer to a request of one row, by plain numbers.

What costs an array operation half a microsecond costs a number a twentieth of it. The
operations are those of many rows, one by one, so the answer has the same bits; a row
of which more is to be said (a missing value, an unseen category, one far outside of
training, the outlier guard) goes the way of many.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from app.artifacts.model import ServedModel
from app.features.encoding import Encoder
from app.predict.answer import JudgedRow, Prediction, Tally, prediction
from app.predict.pricing import Pricing
from solvers.scoring.kernel_machine import KernelMachineScorer

__all__ = ["SingleRow"]

_WIDEST = 64
"""Columns above which arrays are faster."""


class _Scored(NamedTuple):
    score: float
    probability: float | None
    reject_score: float | None = None


class SingleRow:
    """Answers of one model to one row at a time.

    Parameters
    ----------
    model : ServedModel
    encoder : Encoder
    """

    def __init__(self, model: ServedModel, encoder: Encoder) -> None:
        self._model, self._encoder = model, encoder
        # A row that can be encoded so has nothing that another guard looks at.
        self._takes = model.guards.outlier is None and encoder.width <= _WIDEST
        self._takes &= model.row_prices is None  # there may be more cells

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
        if not self._takes or pricing.row_prices is not None:
            return None
        encoded = self._encoder.encode_one(cells)
        if encoded is None:
            return None
        scored = self._scored(encoded)
        score, value, band = scored.score, scored.score, pricing.band
        p = scored.probability
        if band.on == "probability" and p is not None:
            value = p
        decision = band.decision_of(value, scored.reject_score)
        row = JudgedRow(score, value, decision, p)
        return prediction(row, pricing, self._model.labels)

    def _scored(self, encoded: list[float]) -> _Scored:
        scorer, calibration = self._model.scorer, self._model.calibration
        if calibration is not None and isinstance(scorer, KernelMachineScorer):
            score = scorer.score_of(encoded)
            return _Scored(score, calibration.probability_of(score))
        X = np.array([encoded])
        outputs = scorer.outputs(X)
        score = outputs.score.item()
        if calibration is None:
            probabilities = scorer.probability(X)
            p = None if probabilities is None else probabilities.item()
        else:
            odds = score if outputs.log_odds is None else outputs.log_odds.item()
            p = calibration.probability_of(odds)
        r = outputs.reject_score
        return _Scored(score, p, None if r is None else r.item())
