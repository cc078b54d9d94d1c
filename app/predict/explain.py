"""What each column adds to the score of a row, and to its rejector.

    h(x) = sum over columns of h_c(x),     r(x) = intercept + sum over columns of r_c(x)

for ensembles of stumps, which are such sums by themselves: nothing is approximated, and
the terms add up to the very numbers of the answer, in any order. A column that became
several encoded ones (categories, a mark for missing values) gets their sum.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.features.faults import unusable
from app.features.schema import FeatureSchema
from app.predict.answer import Prediction
from solvers.scoring import Scorer
from solvers.scoring.stumps import StumpSums

__all__ = ["Explained", "Explainer", "Explanation", "Intercept", "explained"]

Floats = NDArray[np.float64]


class Intercept(msgspec.Struct, gc=False):
    """What h and r begin with; r null where the model learns no rejector."""

    h: float
    r: float | None


class Explanation(msgspec.Struct, gc=False):
    """The terms of one row by the user's columns."""

    h: dict[str, float]
    r: dict[str, float] | None
    intercept: Intercept
    reject_score: float | None


class Explained(Prediction, gc=False, kw_only=True):
    """An answer to one row with its explanation."""

    explanation: Explanation


class Explainer:
    """The explanations of one model.

    Parameters
    ----------
    schema : FeatureSchema
    scorer : Scorer

    Raises
    ------
    InvalidRequestError
        When the model is no ensemble of stumps.
    """

    def __init__(self, schema: FeatureSchema, scorer: Scorer) -> None:
        if not isinstance(scorer, StumpSums):
            detail = (
                "the score of this model is no sum over its columns, so none can be"
                " given its part; models of abstention-boosting and adaboost explain"
                " their answers"
            )
            raise unusable([FieldError("/explain", detail)])
        self._scorer = scorer
        self._names = schema.names
        place = {name: i for i, name in enumerate(schema.names)}
        self._places = [place[name] for name in schema.encoded_columns]

    def explain(self, matrix: Floats) -> list[Explanation]:
        """Return the explanation of each encoded row."""
        terms = self._scorer.explain(matrix)
        to_h = self._by_column(terms["h"]).tolist()
        if "r" not in terms:
            nothing = Intercept(0.0, None)
            return [Explanation(self._named(row), None, nothing, None) for row in to_h]
        begin = Intercept(0.0, float(terms["r_constant"]))
        to_r = self._by_column(terms["r"]).tolist()
        r = self._scorer.pair(matrix)[1].tolist()
        return [
            Explanation(self._named(h_row), self._named(r_row), begin, r_of_row)
            for h_row, r_row, r_of_row in zip(to_h, to_r, r, strict=True)
        ]

    def _by_column(self, terms: Floats) -> Floats:
        sums = np.zeros((len(terms), len(self._names)))
        for j, place in enumerate(self._places):
            sums[:, place] += terms[:, j]
        return sums

    def _named(self, row: list[float]) -> dict[str, float]:
        return dict(zip(self._names, row, strict=True))


def explained(
    answers: list[Prediction], explanations: list[Explanation]
) -> list[Explained]:
    """Return answers with their explanations."""
    return [
        Explained(**msgspec.structs.asdict(answer), explanation=explanation)
        for answer, explanation in zip(answers, explanations, strict=True)
    ]
