"""Kinds of values that many parts of a training request share."""

from typing import Annotated

from pydantic import Field

__all__ = ["ColumnName", "Fraction", "Positive"]

Positive = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(gt=0, lt=1)]
ColumnName = Annotated[str, Field(min_length=1, max_length=200)]
