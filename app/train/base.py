"""Kinds of values that many parts of a training request share.

Ranges are as wide as doubles carry: outside of them rounding drowns the rows, the norm
or the prices, and what is fitted has learnt nothing.
"""

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from app.artifacts.row_prices import LEAST, MOST
from app.features.values import trimmed
from app.strict import StrictModel

__all__ = [
    "ColumnName",
    "Fraction",
    "Price",
    "Share",
    "TrainerChoice",
]

Fraction = Annotated[float, Field(gt=0, lt=1)]
Price = Annotated[float, Field(ge=LEAST, le=MOST)]
"""One limit for all prices, wherever a request gives them."""
Share = Annotated[float, Field(ge=1e-6, le=1 - 1e-6)]
"""Of +1 in use."""
ColumnName = Annotated[
    str, Field(min_length=1, max_length=200), AfterValidator(trimmed)
]
"""As every name of a column: without the white space around it."""


class TrainerChoice(StrictModel):
    """A trainer with its parameters, told apart by ``kind``."""

    if TYPE_CHECKING:
        kind: str
