"""Decisions on rows of a file: those of `app.predict.decided`, named as its rows."""

from collections.abc import Mapping, Sequence

from app.artifacts.model import Judged
from app.features.encoding import RowNote
from app.predict.decided import Decided, Flags, Floats
from app.predict.decided import decide as decide_rows
from app.predict.pricing import Pricing

__all__ = ["Decided", "Flags", "Floats", "decide"]


def decide(
    judged: Judged,
    pricing: Pricing,
    notes: Mapping[int, Sequence[RowNote]],
    first_row: int,
) -> Decided:
    """Return the decisions on judged rows.

    Raises
    ------
    InvalidRequestError
        When a score is not finite: the row is too far outside the training rows.
    """
    return decide_rows(judged, pricing, notes, first_row, "/rows")
