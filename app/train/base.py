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
    "LEAST_ETA",
    "MOST_ETA",
    "ColumnName",
    "Eta",
    "Fraction",
    "Part",
    "Positive",
    "Price",
    "Share",
    "TrainerChoice",
    "Weight",
]

LEAST_ETA, MOST_ETA = 1e-6, 0.49

Positive = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
Weight = Annotated[float, Field(ge=1e-9, le=1e9)]
"""Of one part of an objective against another."""
Eta = Annotated[float, Field(ge=LEAST_ETA, le=MOST_ETA)]
Price = Annotated[float, Field(ge=LEAST, le=MOST)]
"""One limit for all prices, wherever they are told."""
Share = Annotated[float, Field(ge=1e-6, le=1 - 1e-6)]
"""Of +1 in use."""
Part = Annotated[float, Field(ge=0.01, le=0.9)]
"""Of rows that are kept apart, enough on either side to be told by."""
ColumnName = Annotated[
    str, Field(min_length=1, max_length=200), AfterValidator(trimmed)
]
"""As every name of a column: without the white space around it."""


class TrainerChoice(StrictModel):
    """A trainer with its parameters, told apart by ``kind``."""

    if TYPE_CHECKING:
        kind: str
