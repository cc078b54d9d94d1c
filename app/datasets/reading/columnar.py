"""Parquet files, Arrow streams and files on disk, batch by batch, of any columns.

A file is mapped, not read: what is in memory is the part that is looked at. Every batch
is checked through and through before it is used, since its offsets are a stranger's.
A few bytes can stand for very many cells (columns of nulls, a long text that every row
points to): cells, and the bytes of text, are counted before they are made, and made a
part at a time.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from app.datasets.reading.faults import fault, readable
from app.datasets.reading.limits import Limits

__all__ = ["ArrowStream", "ColumnarFile", "ParquetFile", "check_cells"]

_BATCH_ROWS = 1 << 16
_CELLS = 1 << 21
_GROUP_BYTES = 1 << 31
_BUFFER_BYTES = 1 << 20
_TEXT_BYTES = 1 << 26
_FEW_BYTES = 8
_ARROW_FILE = b"ARROW1\0\0"


class ColumnarFile(Protocol):
    """A file of typed columns, read as often as it is asked."""

    @property
    def schema(self) -> pa.Schema:
        """Its columns."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield its rows in order, a bounded number of cells at once."""


class ParquetFile:
    """See ``ColumnarFile``; all of a file, or some of its row groups.

    Parameters
    ----------
    source : Path or file
        A file is one of pyarrow's, open for as long as this is used.
    limits : Limits
    groups : list of int, optional
        The row groups that are read, and no others.
    """

    def __init__(
        self,
        source: Path | pa.NativeFile,
        limits: Limits,
        groups: list[int] | None = None,
    ) -> None:
        self._source, self._limits, self._groups = source, limits, groups
        self._repeated: tuple[str, ...] = ()
        with readable("Parquet file"), self._open() as file:
            self.schema = _named(file.schema_arrow)
            metadata = file.metadata
            every = range(metadata.num_row_groups)
            _check_size(metadata, every if groups is None else groups, limits)
            self._repeated = _repeated(metadata)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """See ``ColumnarFile``."""
        counted = _Counted(self._limits)
        with readable("Parquet file"), self._open() as file:
            step = _step(self.schema)
            for batch in file.iter_batches(step, self._groups, use_threads=False):
                batch.validate(full=True)
                for part in counted.parts(batch):
                    yield _as_named(part, self.schema)

    def _open(self) -> pq.ParquetFile:
        return pq.ParquetFile(
            self._source,
            memory_map=isinstance(self._source, Path),
            buffer_size=_BUFFER_BYTES,
            pre_buffer=False,
            read_dictionary=list(self._repeated),
        )


class ArrowStream:
    """See ``ColumnarFile``; a stream, or a file of Arrow (Feather 2), by its beginning.

    Parameters
    ----------
    path : Path
    limits : Limits
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path, self._limits = path, limits
        with path.open("rb") as file:
            self.is_file = file.read(len(_ARROW_FILE)) == _ARROW_FILE
            """Whether it is a file of Arrow, which begins and ends with a mark."""
        with self._open() as (schema, _):
            self.schema = _named(schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """See ``ColumnarFile``."""
        step, counted = _step(self.schema), _Counted(self._limits)
        with self._open() as (_, batches):
            for batch in batches:
                counted.check(batch)
                batch.validate(full=True)
                for start in range(0, batch.num_rows, step):
                    yield from counted.parts(batch.slice(start, step))

    @contextmanager
    def _open(self) -> Iterator[tuple[pa.Schema, Iterator[pa.RecordBatch]]]:
        what = "Arrow file" if self.is_file else "Arrow stream"
        with readable(what), pa.memory_map(str(self._path)) as mapped:
            if not self.is_file:
                with pa.ipc.open_stream(mapped) as stream:
                    yield stream.schema, iter(stream)
                return
            with pa.ipc.open_file(mapped) as file:
                count = file.num_record_batches
                yield file.schema, (file.get_batch(i) for i in range(count))


def _named(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose names and types can be told: damaged ones are no text."""
    for field in schema:
        str(field.name), str(field.type)
    return schema


def _step(schema: pa.Schema) -> int:
    return max(1, min(_BATCH_ROWS, _CELLS // max(1, len(schema))))


def _check_size(
    metadata: pq.FileMetaData, groups: Sequence[int], limits: Limits
) -> None:
    """Refuse by what the file says of itself what would not fit in memory."""
    rows = sum(metadata.row_group(i).num_rows for i in groups)
    if rows > limits.rows:
        detail = f"{rows} rows, where at most {limits.rows} are taken"
        raise fault(detail)
    check_cells(rows, metadata.num_columns, limits)
    for i in groups:
        if metadata.row_group(i).total_byte_size > _GROUP_BYTES:
            detail = f"row group {i} is larger than {_GROUP_BYTES} bytes"
            raise fault(detail)


def check_cells(rows: int, columns: int, limits: Limits) -> None:
    """Refuse more cells than a file may have.

    Raises
    ------
    InvalidRequestError
        When it has them.
    """
    if rows * columns > limits.cells:
        detail = (
            f"{rows} rows of {columns} columns: a file has at most {limits.cells} cells"
            " (DEMUR_MAX_DATASET_CELLS)"
        )
        raise fault(detail)


def _repeated(metadata: pq.FileMetaData) -> tuple[str, ...]:
    """Return the columns of text that take very few bytes a value, as they are stored.

    Those are read as numbers that point to texts. (Where most texts are different that
    would be slow.)
    """
    repeated: set[str] = set()
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        for j in range(group.num_columns):
            chunk = group.column(j)
            stored, values = chunk.total_uncompressed_size, chunk.num_values
            if chunk.physical_type == "BYTE_ARRAY" and stored < _FEW_BYTES * values:
                repeated.add(chunk.path_in_schema)
    return tuple(repeated)


def _as_named(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with the types of a schema, which may have no dictionaries."""
    if batch.schema.equals(schema):
        return batch
    columns = [
        column if column.type == field.type else column.cast(field.type)
        for column, field in zip(batch.columns, schema, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


class _Counted:
    """What was seen of a file so far; it ends with the first batch too many."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._rows = self._text = 0

    def check(self, batch: pa.RecordBatch) -> None:
        """Refuse a batch with more cells than a file may have left."""
        check_cells(self._rows + batch.num_rows, batch.num_columns, self._limits)

    def parts(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Yield slices whose texts take a bounded number of bytes."""
        self.check(batch)
        self._rows += batch.num_rows
        sizes = _text_sizes(batch)
        if sizes is None:
            yield batch
            return
        ends = np.cumsum(sizes)
        self._text += int(ends[-1])
        if self._text > self._limits.text_bytes:
            detail = (
                f"its texts have more than {self._limits.text_bytes} bytes"
                " (DEMUR_MAX_UPLOAD_BYTES)"
            )
            raise fault(detail)
        start = 0
        while start < batch.num_rows:
            before = int(ends[start - 1]) if start else 0
            end = int(np.searchsorted(ends, before + _TEXT_BYTES, side="right"))
            end = max(end, start + 1)
            yield batch.slice(start, end - start)
            start = end


def _text_sizes(batch: pa.RecordBatch) -> NDArray[np.int64] | None:
    """Return how many bytes the texts of each row take; None where there are none."""
    total: NDArray[np.int64] | None = None
    for column in batch.columns:
        lengths = _lengths(column) if batch.num_rows else None
        if lengths is not None:
            sizes = lengths.fill_null(0).to_numpy(zero_copy_only=False)
            total = sizes.astype(np.int64) if total is None else total + sizes
    return total


def _lengths(column: pa.Array) -> pa.Array | None:
    """Return the lengths of texts in bytes; None of what is none."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        lengths = _lengths(column.dictionary)
        return None if lengths is None else lengths.take(column.indices)
    if pa.types.is_string_view(kind):
        column = column.cast(pa.large_string())
    elif not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None
    return pc.binary_length(column)
