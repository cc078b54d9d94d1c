"""Parquet and Arrow in, the same format out: every column as it came, decisions behind.

Columns that the model does not know are copied whatever their type; the file's own
metadata stay.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from app.batch.answering import Answering
from app.batch.columns import arrays, schema
from app.batch.features import FeatureColumns
from app.datasets.reading.arrow_sources import plain
from app.datasets.reading.columnar import ArrowStream, ParquetFile
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
    paths: tuple[Path, Path],
    log: BinaryIO,
    limits: Limits,
) -> Tally:
    """Write a file with its decisions to another, and their lines to ``log``.

    Parameters
    ----------
    answering : Answering
    form : {"parquet", "arrow"}
    paths : pair of Path
        The file, and where the other one goes.
    log : binary file
        Of the prediction log.
    limits : Limits

    Raises
    ------
    InvalidRequestError
        When the file is no such file, lacks a feature, or a cell is not acceptable;
        the other file may then be half written.
    """
    source, target = paths
    file = ParquetFile(source, limits) if form == "parquet" else ArrowStream(source)
    names = check_names(file.schema.names, limits, kept=False)
    reading = Reading(ReadOptions(), limits, text=False)
    columns = FeatureColumns(answering.ready.schema, names, reading)
    columns.check_types(file.schema)
    fields = [*file.schema, *schema(answering.labels)]
    wider = pa.schema(fields, metadata=file.schema.metadata)
    with _writer(form, target, wider) as writer:
        tally = Tally()
        for batch in file.batches():
            known = [plain(batch.column(name)) for name in columns.names]
            rows = columns.rows(Batch(known, tally.rows))
            decided = answering.decide(rows, tally.rows)
            added = arrays(decided, answering.labels)
            writer.write_batch(
                pa.RecordBatch.from_arrays([*batch.columns, *added], schema=wider)
            )
            log.write(answering.logged(decided, tally.rows))
            tally.add(decided.tally())
        return tally


def _writer(
    form: str, target: Path, wider: pa.Schema
) -> AbstractContextManager[_Writer]:
    make: Callable[..., AbstractContextManager[_Writer]] = (
        pq.ParquetWriter if form == "parquet" else pa.ipc.new_stream
    )
    return make(str(target), wider)
