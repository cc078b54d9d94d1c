"""The faults of a request as one problem: each by its place, never by its value.

A refused body may hold patient data: a message names the place and the way out, never
what was found there. Pointers are JSON pointers (RFC 6901) into the body as sent.
"""

import re
from collections.abc import Iterable
from itertools import islice

from app.errors.base import FieldError
from app.errors.refused import InvalidRequestError, MalformedRequestError

__all__ = ["MOST_FAULTS", "at", "no_object", "not_json", "refuse", "unusable"]

MOST_FAULTS = 20
"""How many faults one answer lists."""


def at(*path: str | int) -> str:
    """Return the JSON pointer of a path into the body."""
    return "".join(
        "/" + str(part).replace("~", "~0").replace("/", "~1") for part in path
    )


def refuse(errors: Iterable[FieldError]) -> InvalidRequestError:
    """Return the problem of these errors; its detail is that of the first."""
    faults = list(errors)[:MOST_FAULTS]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return InvalidRequestError(f"{_place(faults[0])}{faults[0].detail}{more}", faults)


def _place(error: FieldError) -> str:
    if error.row is None:
        return f"{error.pointer}: " if error.pointer else ""
    column = "" if error.column is None else f", column {error.column!r}"
    return f"row {error.row}{column}: "


def unusable(faults: Iterable[FieldError]) -> InvalidRequestError:
    """Return the error that lists the first faults of a table.

    Parameters
    ----------
    faults : iterable of FieldError
        At least one; read only as far as the answer goes.
    """
    remaining = iter(faults)
    listed = tuple(islice(remaining, MOST_FAULTS))
    more = next(remaining, None) is not None
    first = listed[0]
    where = _place(first)
    if first.row is None and first.column is not None:
        where = f"column {first.column!r}: "
    count = f"; the first {MOST_FAULTS} faults are listed" if more else ""
    return InvalidRequestError(f"{where}{first.detail}{count}", listed)


def no_object(error: Exception) -> InvalidRequestError:
    """Return the answer to JSON that msgspec could read, but not as an object."""
    if "out of range" in str(error):
        return refuse([FieldError("", "a number in the body is out of range")])
    return refuse([FieldError("", "the body is an object")])


def not_json(error: Exception) -> MalformedRequestError:
    """Return the answer to bytes that a decoder of msgspec refused, without a quote."""
    if isinstance(error, RecursionError):
        return MalformedRequestError("the body is nested too deeply")
    place = re.search(r"\(byte (\d+)\)$", str(error))
    at_byte = f" at byte {place[1]}" if place else ""
    return MalformedRequestError(
        f"the body is no JSON{at_byte}: numbers are finite, text is UTF-8"
    )
