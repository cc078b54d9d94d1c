"""From the words of a query and of the settings to those of the reader."""

import codecs

from app.datasets.reading.limits import Limits
from app.datasets.reading.options import (
    DELIMITERS,
    ENCODINGS,
    ColumnType,
    Encoding,
    ReadOptions,
)
from app.datasets.schemas import ReadQuery, UploadQuery
from app.errors import FieldError, InvalidRequestError, UnsupportedMediaTypeError
from app.features.values import trimmed
from app.settings import Settings

__all__ = ["limits_of", "read_options"]

_KINDS: tuple[ColumnType, ...] = ("numeric", "boolean", "categorical")


def limits_of(settings: Settings) -> Limits:
    """Return how much of a file is read before it is refused."""
    return Limits(
        rows=settings.max_dataset_rows,
        columns=settings.max_dataset_columns,
        cells=settings.max_dataset_cells,
        text_bytes=settings.max_upload_bytes,
        cell_length=settings.max_cell_bytes,
    )


def read_options(
    query: ReadQuery, *, tab: bool = False, charset: str | None = None
) -> ReadOptions:
    """Return what a query says of a file.

    Parameters
    ----------
    query : ReadQuery
    tab : bool
        Whether the content type says that tabs separate the cells.
    charset : str, optional
        That the content type names; an encoding in the query goes before it.

    Raises
    ------
    InvalidRequestError
        When it contradicts itself.
    UnsupportedMediaTypeError
        When text in that charset is not taken.
    """
    delimiter = None
    if query.delimiter != "auto":
        delimiter = DELIMITERS.get(query.delimiter, query.delimiter)
    elif tab:
        delimiter = "\t"
    if delimiter == query.decimal:
        detail = "the decimal mark cannot separate cells too"
        raise InvalidRequestError(detail, [FieldError("/query/decimal", detail)])
    marks = None if query.missing is None else tuple(map(trimmed, query.missing))
    return ReadOptions(
        delimiter=delimiter,
        decimal=query.decimal,
        encoding=_encoding(query, charset),
        missing=marks,
        header=query.header if isinstance(query, UploadQuery) else True,
        types=_declared(query) if isinstance(query, UploadQuery) else (),
    )


def _encoding(query: ReadQuery, charset: str | None) -> Encoding:
    if charset is None or "encoding" in query.model_fields_set:
        return query.encoding
    for encoding in ENCODINGS:
        if codecs.lookup(encoding).name == charset:
            return encoding
    if charset == "ascii":
        return "utf-8"
    msg = f"text is taken in {', '.join(ENCODINGS)}; the content type names another"
    raise UnsupportedMediaTypeError(msg)


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
