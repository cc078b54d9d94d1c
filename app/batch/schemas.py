"""What may be said of a batch beside its file."""

from typing import Annotated

from pydantic import Field

from app.datasets.schemas import ReadQuery
from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.predict.envelope import Costs
from app.train.base import Price
from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError

__all__ = ["BatchQuery", "asked_costs"]


class BatchQuery(ReadQuery):
    """Which model at which costs, and how CSV is to be read."""

    model: Annotated[str, Field(min_length=1, max_length=202, examples=["pima"])]
    """``name`` (its newest version), ``name:version`` or ``name@alias``."""
    reference: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    """The column that says what you call the rows (as ``references`` of POST /predict):
    where rejects of the model are reviewed, a row whose reference has an open case gets
    that one."""
    false_positive: Price | None = None
    """The cost of calling a true -1 "+1". Give all four costs, or none: decisions are
    then made and priced at them instead of the trained ones, where thresholds follow
    from costs (as ``costs`` of POST /predict)."""
    false_negative: Price | None = None
    """The cost of calling a true +1 "-1"."""
    reject_positive: Price | None = None
    """The cost of rejecting a true +1."""
    reject_negative: Price | None = None
    """The cost of rejecting a true -1."""


def asked_costs(query: BatchQuery) -> Costs | None:
    """Return the costs that a query brings; None where it brings none.

    Raises
    ------
    InvalidRequestError
        When some of them are missing, or rejecting could never pay off at them.
    """
    costs = {name: getattr(query, name) for name in Costs.__struct_fields__}
    missing = [name for name, cost in costs.items() if cost is None]
    if len(missing) == len(costs):
        return None
    if missing:
        detail = "give all four costs, or none"
        raise unusable(FieldError(f"/query/{name}", detail) for name in missing)
    try:
        CostMatrix(**costs)
    except InvalidCostsError as error:
        fault = FieldError("/query/false_positive", str(error))
        raise InvalidRequestError(str(error), [fault]) from None
    return Costs(**costs)
