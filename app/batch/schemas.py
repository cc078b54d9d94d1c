"""What may be said of a batch beside its file."""

from typing import Annotated

from pydantic import Field

from app.datasets.schemas import ReadQuery

__all__ = ["BatchQuery"]


class BatchQuery(ReadQuery):
    """Which model, and how CSV is to be read."""

    model: Annotated[str, Field(min_length=1, max_length=202, examples=["pima"])]
    """``name`` (its newest version), ``name:version`` or ``name@alias``."""
