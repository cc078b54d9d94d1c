"""Parquet files and Arrow streams on disk, batch by batch, whatever their columns are.

A file is mapped, not read: what is in memory is the part that is looked at. Every batch
is checked through and through before it is used, since its offsets are a stranger's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from app.datasets.reading.faults import fault, readable
from app.datasets.reading.limits import Limits

__all__ = ["ArrowStream", "ColumnarFile", "ParquetFile"]

_BATCH_ROWS = 1 << 16
_CELLS = 1 << 21
_GROUP_BYTES = 1 << 31
_BUFFER_BYTES = 1 << 20


class ColumnarFile(Protocol):
    """A file of typed columns, read as often as it is asked."""

    @property
    def schema(self) -> pa.Schema:
        """Its columns."""

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield its rows in order, a bounded number of cells at once."""


class ParquetFile:
    """See ``ColumnarFile``."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        with readable("Parquet file"), self._open() as file:
            self.schema = _named(file.schema_arrow)
            metadata = file.metadata
        _check_size(metadata, limits)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """See ``ColumnarFile``."""
        with readable("Parquet file"), self._open() as file:
            for batch in file.iter_batches(_step(self.schema), use_threads=False):
                batch.validate(full=True)
                yield batch

    def _open(self) -> pq.ParquetFile:
        return pq.ParquetFile(
            self._path, memory_map=True, buffer_size=_BUFFER_BYTES, pre_buffer=False
        )


class ArrowStream:
    """See ``ColumnarFile``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._open() as stream:
            self.schema = _named(stream.schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """See ``ColumnarFile``."""
        step = _step(self.schema)
        with self._open() as stream:
            for batch in stream:
                batch.validate(full=True)
                for start in range(0, batch.num_rows, step):
                    yield batch.slice(start, step)

    @contextmanager
    def _open(self) -> Iterator[pa.RecordBatchStreamReader]:
        with (
            readable("Arrow stream"),
            pa.memory_map(str(self._path)) as file,
            pa.ipc.open_stream(file) as stream,
        ):
            yield stream


def _named(schema: pa.Schema) -> pa.Schema:
    """Return a schema whose names and types can be told: damaged ones are no text."""
    for field in schema:
        str(field.name), str(field.type)
    return schema


def _step(schema: pa.Schema) -> int:
    return max(1, min(_BATCH_ROWS, _CELLS // max(1, len(schema))))


def _check_size(metadata: pq.FileMetaData, limits: Limits) -> None:
    """Refuse by what the file says of itself what would not fit in memory."""
    if metadata.num_rows > limits.rows:
        detail = f"{metadata.num_rows} rows, where at most {limits.rows} are taken"
        raise fault(detail)
    for i in range(metadata.num_row_groups):
        if metadata.row_group(i).total_byte_size > _GROUP_BYTES:
            detail = f"row group {i} is larger than {_GROUP_BYTES} bytes"
            raise fault(detail)
