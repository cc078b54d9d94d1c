"""GET /rules/bounded-error/rows: how many labelled rows a promise will need."""

from math import ceil
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import ConfigDict, Field

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.strict import Answer, QueryModel, with_examples
from app.train.schemas import Evaluation
from app.web.openapi import problems
from solvers.rules.certified_chain import SELECTION_SHARE
from solvers.rules.rows_for_error import rows_for_error

__all__ = ["router"]

router = APIRouter(prefix="/rules", tags=["train"])

_SPREAD = {"lucky": 0.05, "even": 0.5, "unlucky": 0.95}
_OPEN = {"gt": 0.0, "lt": 1.0}


class RowsQuery(QueryModel):
    """The promise, and what is expected of the model."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    max_error: Annotated[float, Field(**_OPEN)]
    """The limit on the error among decided rows."""
    expected_error: Annotated[float, Field(ge=0.0, lt=1.0)]
    """The error among decided rows that the model is expected to have, below it."""
    confidence: Annotated[float, Field(**_OPEN)] = 0.95
    reject_rate: Annotated[float, Field(ge=0.0, lt=1.0)] = 0.0
    """The share of rows that the model is expected to reject."""


class Needed(Answer):
    """Rows that suffice in 5 (lucky), 50 and 95 (unlucky) of 100 draws of them."""

    lucky: int | None
    even: int | None
    unlucky: int | None
    """Null: more than 100,000,000."""


class RowsAnswer(Answer):
    """How many rows the promise will take."""

    model_config = with_examples(
        {
            "decided": {"lucky": 59, "even": 124, "unlucky": 386},
            "calibration": {"lucky": 82, "even": 173, "unlucky": 537},
            "rows": {"lucky": 328, "even": 692, "unlucky": 2148},
        }
    )

    decided: Needed
    """Decided rows that test the promise."""
    calibration: Needed
    """Rows of the calibration part: with rejected ones, and those that choose."""
    rows: Needed
    """All labelled rows, where `evaluation.calibration` is what it is by itself."""


@router.get("/bounded-error/rows", responses=problems(InvalidRequestError))
def rows_of_a_promise(query: Annotated[RowsQuery, Query()]) -> RowsAnswer:
    """Tell how many labelled rows a promise on the error will take.

    By exact binomial tails, for a model that is known by its expected error only. A
    tenth of the calibration part chooses thresholds, and the rest tests them.
    """
    if query.expected_error >= query.max_error:
        detail = "no number of rows shows what is not so: it lies below max_error"
        raise unusable([FieldError("/query/expected_error", detail)])
    promise = (query.max_error, query.expected_error, query.confidence)
    decided = {name: rows_for_error(*promise, part) for name, part in _SPREAD.items()}
    tested = (1.0 - query.reject_rate) * (1.0 - SELECTION_SHARE)
    share = tested * Evaluation().calibration
    return RowsAnswer(
        decided=Needed(**decided),
        calibration=_divided(decided, tested),
        rows=_divided(decided, share),
    )


def _divided(rows: dict[str, int | None], share: float) -> Needed:
    return Needed(
        **{name: None if n is None else ceil(n / share) for name, n in rows.items()}
    )
