"""Parquet and Arrow in, the same format out: every column as it came, decisions behind.

Columns that the model does not know are copied whatever their type; the file's own
metadata stay.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from app.batch.answering import Answering
from app.batch.columns import arrays, schema
from app.batch.features import FeatureColumns
from app.batch.ordered import in_order
from app.datasets.reading.arrow_sources import plain
from app.datasets.reading.columnar import ArrowStream, ColumnarFile, ParquetFile
from app.datasets.reading.limits import Limits
from app.datasets.reading.names import check_names
from app.datasets.reading.options import ReadOptions
from app.datasets.reading.sources import Batch
from app.datasets.reading.values import Reading
from app.predict.answer import Tally

__all__ = ["answer_columnar", "answer_rows"]

IN_FLIGHT = 2


class _Answered(NamedTuple):
    """Rows with their decisions, what is counted of them, and their line in the log."""

    rows: pa.RecordBatch
    tally: Tally
    logged: bytes


class _Writer(Protocol):
    def write_batch(self, batch: pa.RecordBatch) -> None: ...


def answer_columnar(
    answering: Answering,
    form: Literal["parquet", "arrow"],
    paths: tuple[Path, Path],
    log: BinaryIO,
    options: ReadOptions,
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
    options : ReadOptions
        Only its marks for missing values are looked at.
    limits : Limits

    Raises
    ------
    InvalidRequestError
        When the file is no such file, lacks a feature, or a cell is not acceptable;
        the other file may then be half written.
    """
    source, target = paths
    file: ColumnarFile = (
        ParquetFile(source, limits)
        if form == "parquet"
        else ArrowStream(source, limits)
    )
    return answer_rows(answering, file, target, log, options, limits)


def answer_rows(
    answering: Answering,
    file: ColumnarFile,
    target: Path,
    log: BinaryIO,
    options: ReadOptions,
    limits: Limits,
) -> Tally:
    """Write what was opened with its decisions, as `answer_columnar` does."""
    names = check_names(file.schema.names, limits, kept=False)
    features = answering.ready.schema
    reading = Reading(
        options, limits, text=False, of_model=True, learnt=features.missing
    )
    columns = FeatureColumns(features, names, reading, answering.reference)
    columns.check_types(file.schema)
    opened = answering.cases
    new_fields = schema(answering.labels, answering.rating, cases=opened is not None)
    fields = [*file.schema, *new_fields]
    wider = pa.schema(fields, metadata=file.schema.metadata)
    tally = Tally()

    def answer(part: Batch) -> _Answered:
        known = [plain(part.columns[j]) for j in places]
        batch = Batch(known, part.first_row)
        rows = columns.rows(batch)
        decided = answering.decide(rows, part.first_row)
        added = arrays(decided, answering.labels, answering.rating)
        if opened is not None:
            references = columns.references(batch)
            added.append(opened.of(rows, decided, references, part.first_row))
        return _Answered(
            pa.RecordBatch.from_arrays([*part.columns, *added], schema=wider),
            decided.tally(),
            answering.logged(decided, part.first_row),
        )

    places = [names.index(name) for name in columns.names]
    with _writer(file, target, wider) as writer:
        for rows, counts, logged in in_order(answer, _parts(file), IN_FLIGHT):
            writer.write_batch(rows)
            log.write(logged)
            tally.add(counts)
    return tally


def _parts(file: ColumnarFile) -> Iterator[Batch]:
    first = 0
    for batch in file.batches():
        yield Batch(batch.columns, first)
        first += batch.num_rows


def _writer(
    read: ColumnarFile, target: Path, wider: pa.Schema
) -> AbstractContextManager[_Writer]:
    """Return what writes in the format that is read."""
    if isinstance(read, ArrowStream):
        write = pa.ipc.new_file if read.is_file else pa.ipc.new_stream
        made: AbstractContextManager[_Writer] = write(str(target), wider)
        return made
    # Few floats come twice: to look for those takes longer than to write them all.
    repeated = [field.name for field in wider if not pa.types.is_floating(field.type)]
    file: AbstractContextManager[_Writer] = pq.ParquetWriter(
        str(target), wider, use_dictionary=repeated
    )
    return file
