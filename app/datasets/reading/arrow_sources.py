"""Parquet files and Arrow streams on disk, as batches of typed columns.

Taken: whole and decimal numbers, floats, booleans, text, dictionaries of these, dates
and times (as ISO 8601 text) and columns of nothing but nulls. Nested and binary columns
are refused by name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from app.datasets.reading.faults import fault, readable
from app.datasets.reading.limits import Limits
from app.datasets.reading.names import check_names
from app.datasets.reading.sources import Batch
from app.errors import InvalidRequestError

__all__ = ["ArrowSource", "ParquetSource", "check_schema"]

_BATCH_ROWS = 1 << 16
_CELLS = 1 << 21
_GROUP_BYTES = 1 << 31


class ParquetSource:
    """See ``sources.Source``."""

    text = False

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        with readable("Parquet file"), pq.ParquetFile(path) as file:
            self.names = check_schema(file.schema_arrow, limits)
            _check_size(file.metadata, limits)

    def batches(self) -> Iterator[Batch]:
        """Yield the rows, as many at once as a bounded number of cells."""
        rows = max(1, min(_BATCH_ROWS, _CELLS // len(self.names)))
        with readable("Parquet file"), pq.ParquetFile(self._path) as file:
            yield from _numbered(file.iter_batches(rows, use_threads=False))


class ArrowSource:
    """See ``sources.Source``."""

    text = False

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        with self._stream() as stream:
            self.names = check_schema(stream.schema, limits)

    def batches(self) -> Iterator[Batch]:
        """Yield the record batches as they were written."""
        with self._stream() as stream:
            yield from _numbered(stream)

    @contextmanager
    def _stream(self) -> Iterator[pa.RecordBatchStreamReader]:
        with (
            readable("Arrow stream"),
            pa.OSFile(str(self._path)) as file,
            pa.ipc.open_stream(file) as stream,
        ):
            yield stream


def check_schema(schema: pa.Schema, limits: Limits) -> tuple[str, ...]:
    """Return the names of a schema's columns, or refuse what is no table of values."""
    if not len(schema):
        msg = "the file has no columns"
        raise InvalidRequestError(msg)
    names = check_names(schema.names, limits)
    for j, field in enumerate(schema):
        if not _taken(field.type):
            detail = (
                f"columns of {field.type} are not taken; write numbers, booleans, text"
                " or dates"
            )
            raise fault(detail, position=j, name=field.name)
    return names


def _taken(kind: pa.DataType) -> bool:
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


def _check_size(metadata: pq.FileMetaData, limits: Limits) -> None:
    """Refuse by what the file says of itself what would not fit in memory."""
    if metadata.num_rows > limits.rows:
        detail = f"{metadata.num_rows} rows, where at most {limits.rows} are taken"
        raise fault(detail)
    for i in range(metadata.num_row_groups):
        if metadata.row_group(i).total_byte_size > _GROUP_BYTES:
            msg = f"row group {i} is larger than {_GROUP_BYTES} bytes"
            raise fault(msg)


def _numbered(batches: Iterator[pa.RecordBatch]) -> Iterator[Batch]:
    row = 0
    for batch in batches:
        batch.validate(full=True)  # hostile offsets must not reach a kernel
        yield Batch([_plain(column) for column in batch.columns], row)
        row += batch.num_rows


def _plain(column: pa.Array) -> pa.Array:
    """Return a column without its dictionary; dates and times as text."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_temporal(kind):
        return pc.cast(column, pa.string())
    if is_text(kind) and not pa.types.is_string(kind):
        return pc.cast(column, pa.string())
    return column
