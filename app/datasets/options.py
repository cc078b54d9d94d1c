"""From the words of a query and of the settings to those of the reader."""

from app.datasets.reading.limits import Limits
from app.datasets.reading.options import (
    DELIMITERS,
    MISSING,
    ColumnType,
    ReadOptions,
)
from app.datasets.schemas import ReadQuery, UploadQuery
from app.errors import FieldError, InvalidRequestError
from app.settings import Settings

__all__ = ["limits_of", "read_options"]

_KINDS: tuple[ColumnType, ...] = ("numeric", "boolean", "categorical")


def limits_of(settings: Settings) -> Limits:
    """Return how much of a file is read before it is refused."""
    return Limits(
        rows=settings.max_dataset_rows,
        columns=settings.max_dataset_columns,
        cell_length=settings.max_cell_bytes,
    )


def read_options(query: ReadQuery, *, tab: bool = False) -> ReadOptions:
    """Return what a query says of a file.

    Parameters
    ----------
    query : ReadQuery
    tab : bool
        Whether the content type says that tabs separate the cells.

    Raises
    ------
    InvalidRequestError
        When it contradicts itself.
    """
    delimiter = None
    if query.delimiter != "auto":
        delimiter = DELIMITERS.get(query.delimiter, query.delimiter)
    elif tab:
        delimiter = "\t"
    if delimiter == query.decimal:
        detail = "the decimal mark cannot separate cells too"
        raise InvalidRequestError(detail, [FieldError("/query/decimal", detail)])
    marks = MISSING if query.missing is None else tuple(map(str.strip, query.missing))
    return ReadOptions(
        delimiter=delimiter,
        decimal=query.decimal,
        encoding=query.encoding,
        missing=marks,
        header=query.header if isinstance(query, UploadQuery) else True,
        types=_declared(query) if isinstance(query, UploadQuery) else (),
    )


def _declared(query: UploadQuery) -> tuple[tuple[str, ColumnType], ...]:
    declared: dict[str, ColumnType] = {}
    for kind in _KINDS:
        for name in getattr(query, kind):
            if declared.setdefault(name, kind) != kind:
                detail = f"the column {name!r} is declared {declared[name]} already"
                raise InvalidRequestError(
                    detail, [FieldError(f"/query/{kind}", detail)]
                )
    return tuple(declared.items())
