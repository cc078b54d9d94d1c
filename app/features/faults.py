"""A table that cannot be used, said by row and column and never by value."""

from collections.abc import Iterable, Iterator
from itertools import islice

from app.errors import FieldError, InvalidRequestError

__all__ = ["MAX_FAULTS", "unusable"]

MAX_FAULTS = 20
"""How many faults one answer lists."""


def unusable(faults: Iterable[FieldError]) -> InvalidRequestError:
    """Return the error that lists the first faults of a table.

    Parameters
    ----------
    faults : iterable of FieldError
        At least one; read only as far as the answer goes.
    """
    remaining: Iterator[FieldError] = iter(faults)
    listed = tuple(islice(remaining, MAX_FAULTS))
    more = next(remaining, None) is not None
    first = listed[0]
    where = "" if first.row is None else f"row {first.row}, "
    where += "" if first.column is None else f"column {first.column}: "
    count = f"; the first {MAX_FAULTS} faults are listed" if more else ""
    return InvalidRequestError(f"{where}{first.detail}{count}", listed)
