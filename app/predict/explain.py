"""What each column adds to the score of a row, and to its rejector.

    h(x) = begin + sum over columns of h_c(x),     r(x) likewise

Ensembles of stumps are such sums by themselves, and begin with nothing: the terms add
up to the very numbers of the answer, in any order. Of any other model the terms are
Shapley values, which begin with the score of a typical row: medians, and the most
frequent categories, of its training rows (`solvers.scoring.shapley`). A column that
became several encoded ones (categories, a mark for missing values) counts as one.
"""

from collections.abc import Callable
from functools import partial

import msgspec
import numpy as np
from numpy.typing import NDArray

from app.errors import FieldError
from app.errors.faults import unusable
from app.features.schema import FeatureSchema
from app.predict.answer import Prediction
from solvers.scoring import Scorer
from solvers.scoring.shapley import Shapley, Terms
from solvers.scoring.stumps import StumpSums

__all__ = ["Explained", "Explainer", "Explanation", "Intercept", "explained"]

Floats = NDArray[np.float64]

_MOST_ROWS = 50
"""Each takes from one millisecond to some tens, with a thread for itself."""


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
    exact: bool = True
    """False where the terms are means over orders of the columns that were drawn."""


class Explained(Prediction, gc=False, kw_only=True):
    """An answer to one row with its explanation."""

    explanation: Explanation


class Explainer:
    """The explanations of one model.

    Parameters
    ----------
    schema : FeatureSchema
    scorer : Scorer
    typical : ndarray of shape (n_encoded,), optional
        The row to compare with; ensembles of stumps need none.

    Attributes
    ----------
    most_rows : int or None
        How many rows a request may have explained; None: as many as it may have.

    Raises
    ------
    InvalidRequestError
        When there is nothing to compare with.
    """

    def __init__(
        self, schema: FeatureSchema, scorer: Scorer, typical: Floats | None = None
    ) -> None:
        self._names = schema.names
        place = {name: i for i, name in enumerate(schema.names)}
        self._places = np.array([place[name] for name in schema.encoded_columns])
        self._scorer = scorer
        self.most_rows: int | None = None
        self._terms: Callable[[Floats], Terms]
        if isinstance(scorer, StumpSums):
            self._terms = partial(self._of_stumps, scorer)
            return
        if typical is None:
            detail = (
                "this version was trained by a release that kept no typical row to"
                " compare with: train it again"
            )
            raise unusable([FieldError("/explain", detail)])
        self.most_rows = _MOST_ROWS
        self._terms = Shapley(scorer, typical, self._places).terms

    def explain(self, matrix: Floats) -> list[Explanation]:
        """Return the explanation of each encoded row."""
        terms = self._terms(matrix)
        begin, to_h = Intercept(*terms.base), terms.h.tolist()
        if terms.r is None:
            return [
                Explanation(self._named(row), None, begin, None, terms.exact)
                for row in to_h
            ]
        reject = self._scorer.reject_scores(matrix)
        assert reject is not None  # noqa: S101 - what has terms of r has r
        return [
            Explanation(self._named(h), self._named(r), begin, score, terms.exact)
            for h, r, score in zip(to_h, terms.r.tolist(), reject.tolist(), strict=True)
        ]

    def _of_stumps(self, scorer: StumpSums, matrix: Floats) -> Terms:
        terms = scorer.explain(matrix)
        h = self._by_column(terms["h"])
        if "r" not in terms:
            return Terms(h, None, (0.0, None), exact=True)
        begin = (0.0, float(terms["r_constant"]))
        return Terms(h, self._by_column(terms["r"]), begin, exact=True)

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
