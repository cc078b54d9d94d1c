"""Parquet and Arrow in, the same format out: every column as it came, decisions behind.

Columns that the model does not know are copied whatever their type; the file's own
metadata stay.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from app.batch.answering import Answering
from app.batch.columns import arrays, schema
from app.batch.features import FeatureColumns
from app.datasets.reading.arrow_sources import plain
from app.datasets.reading.columnar import ArrowStream, ColumnarFile, ParquetFile
from app.datasets.reading.limits import Limits
from app.datasets.reading.names import check_names
from app.datasets.reading.options import ReadOptions
from app.datasets.reading.sources import Batch
from app.datasets.reading.values import Reading
from app.predict.answer import Tally

__all__ = ["answer_columnar"]

_GROUP_ROWS = 1 << 16


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...


def answer_columnar(
    answering: Answering,
    form: Literal["parquet", "arrow"],
    source: Path,
    target: Path,
    limits: Limits,
) -> Tally:
    """Write the file ``source`` with its decisions to ``target``.

    Raises
    ------
    InvalidRequestError
        When the file is no such file, lacks a feature, or a cell is not acceptable;
        ``target`` may then be half written.
    """
    file = ParquetFile(source, limits) if form == "parquet" else ArrowStream(source)
    names = check_names(file.schema.names, limits, kept=False)
    reading = Reading(ReadOptions(), limits, text=False)
    columns = FeatureColumns(answering.ready.schema, names, reading)
    columns.check_types(file.schema)
    fields = [*file.schema, *schema(answering.labels)]
    wider = pa.schema(fields, metadata=file.schema.metadata)
    with _writer(form, target, wider) as writer:
        return _answer(answering, file, columns, wider, writer)


def _answer(
    answering: Answering,
    file: ColumnarFile,
    columns: FeatureColumns,
    wider: pa.Schema,
    writer: _Writer,
) -> Tally:
    tally = Tally()
    for batch in file.batches():
        known = [plain(batch.column(name)) for name in columns.names]
        decided = answering.decide(columns.rows(Batch(known, tally.rows)), tally.rows)
        added = arrays(decided, answering.labels)
        writer.write_batch(
            pa.RecordBatch.from_arrays([*batch.columns, *added], schema=wider)
        )
        tally.add(decided.tally())
    return tally


def _writer(
    form: str, target: Path, wider: pa.Schema
) -> AbstractContextManager[_Writer]:
    make: Callable[..., AbstractContextManager[_Writer]] = (
        pq.ParquetWriter if form == "parquet" else pa.ipc.new_stream
    )
    return make(str(target), wider)
