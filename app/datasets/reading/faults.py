"""What is wrong with a file, told by its place and never by its values.

Lines count from 1, as editors count; rows from 0, as in every other error of the
service; columns are told by position (from 1) and, where the name is known, by name.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from app.errors import ApiError, FieldError, InvalidRequestError

__all__ = ["fault", "readable"]


def fault(
    detail: str,
    *,
    line: int | None = None,
    row: int | None = None,
    position: int | None = None,
    name: str | None = None,
) -> InvalidRequestError:
    """Return the problem of one place in a file.

    Parameters
    ----------
    detail : str
        What is wrong there and the way out.
    line, row, position, name : int or str, optional
        Where: line from 1, row from 0, column position from 0, column name.
    """
    place = []
    if line is not None:
        place.append(f"line {line}")
    elif row is not None:
        place.append(f"row {row}")
    if position is not None:
        place.append(f"column {position + 1}")
    if name is not None:
        place[-1:] = (
            [f"{place[-1]} ({name!r})"]
            if position is not None
            else [*place, repr(name)]
        )
    sentence = f"{', '.join(place)}: {detail}" if place else detail
    path = (
        ("rows", row)
        if row is not None
        else ("columns",)
        if position is not None
        else ()
    )
    pointer = "".join(
        f"/{part}" for part in (*path, *(() if position is None else (position,)))
    )
    return InvalidRequestError(sentence, [FieldError(pointer, sentence, row, name)])


@contextmanager
def readable(what: str) -> Iterator[None]:
    """Turn whatever Arrow says of a broken file into one problem.

    Its own messages may quote the file, so none of them is passed on.
    """
    try:
        yield
    except (ApiError, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
        msg = f"the body is no readable {what}; write the file again and send it whole"
        raise InvalidRequestError(msg) from error
