"""Parquet files and Arrow streams on disk, as batches of typed columns.

Taken: whole and decimal numbers, floats, booleans, text, dictionaries of these, dates
and times (as ISO 8601 text) and columns of nothing but nulls. Nested and binary columns
are refused by name.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.columnar import ColumnarFile
from app.datasets.reading.faults import fault, readable
from app.datasets.reading.limits import Limits
from app.datasets.reading.names import check_names
from app.datasets.reading.sources import Batch
from app.errors import InvalidRequestError

__all__ = ["TypedSource", "is_taken", "is_text", "plain"]


class TypedSource:
    """See ``sources.Source``."""

    text = False
    notes = ()

    def __init__(self, file: ColumnarFile, limits: Limits) -> None:
        self._file = file
        self.names = _check_schema(file.schema, limits)

    def batches(self) -> Iterator[Batch]:
        """Yield the rows as the file yields them."""
        row = 0
        for batch in self._file.batches():
            yield Batch([plain(column) for column in batch.columns], row)
            row += batch.num_rows


def _check_schema(schema: pa.Schema, limits: Limits) -> tuple[str, ...]:
    """Return the names of a schema's columns, or refuse what is no table of values."""
    if not len(schema):
        msg = "the file has no columns"
        raise InvalidRequestError(msg)
    names = check_names(schema.names, limits)
    for j, field in enumerate(schema):
        if not is_taken(field.type):
            detail = (
                f"columns of {field.type} are not taken; write numbers, booleans, text"
                " or dates"
            )
            raise fault(detail, position=j, name=field.name)
    return names


def is_taken(kind: pa.DataType) -> bool:
    """Tell whether columns of a type hold values that the service reads."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_null(kind)
        or is_text(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
        or pa.types.is_time(kind)
    )


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a type is one of Arrow's kinds of text."""
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
    )


def plain(column: pa.Array) -> pa.Array:
    """Return a column without its dictionary; dates and times as text.

    Raises
    ------
    InvalidRequestError
        When the file's own description of the column makes no sense.
    """
    with readable("table"):
        if pa.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        kind = column.type
        if pa.types.is_temporal(kind) or (
            is_text(kind) and not pa.types.is_string(kind)
        ):
            return pc.cast(column, pa.string())
        return column
