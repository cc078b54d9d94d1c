"""CSV in, the same CSV out with its decisions: every record as it was written.

    block of records -> the features' columns -> decisions
    records, decision cells -> joined by the delimiter, line by line

A record's own bytes are copied, never written anew: what the model does not know comes
out as it came in, quotes and all. Blocks do not depend on each other, so several can
be answered at once.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from app.batch.answering import Answering
from app.batch.columns import schema
from app.batch.features import FeatureColumns
from app.batch.texts import Wording
from app.datasets.reading.blocks import RECODED, Block, Cutter
from app.datasets.reading.csv import Layout, place_of, split_header, strings
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.datasets.reading.sources import Batch
from app.datasets.reading.values import Reading
from app.errors import InvalidRequestError
from app.features.notation import Decimal
from app.predict.answer import Tally

__all__ = ["Answered", "CsvBatch", "Records"]

_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """What the header says, and what is written above the rows."""

    layout: Layout
    columns: FeatureColumns
    header: bytes
    wording: Wording


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """A block of rows, and where each of its records ends."""

    form: Form
    block: Block
    first_row: int
    ends: NDArray[np.int64]
    filled: NDArray[np.bool_] | None
    """Which records are rows; None where all are."""


class Answered(NamedTuple):
    """The lines of a block, what is counted of it, and its line in the log."""

    lines: memoryview
    tally: Tally
    logged: bytes


class CsvBatch:
    """One file on its way through a model.

    Parameters
    ----------
    answering : Answering
    options : ReadOptions
    limits : Limits
    """

    def __init__(
        self, answering: Answering, options: ReadOptions, limits: Limits
    ) -> None:
        self._answering, self._options, self._limits = answering, options, limits
        self._cutter = Cutter(options, limits, _BLOCK_BYTES)
        self._form: Form | None = None
        self._rows = 0

    @property
    def header(self) -> bytes:
        """The first line of the answer.

        Raises
        ------
        InvalidRequestError
            When the file is empty.
        """
        if self._form is None:
            msg = "the file is empty"
            raise InvalidRequestError(msg)
        return self._form.header

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of how the file was read, as of a data set."""
        of_columns = () if self._form is None else self._form.columns.notes
        return (RECODED, *of_columns) if self._cutter.recoded else of_columns

    def feed(self, chunk: bytes) -> list[Records]:
        """Take the next bytes; return the blocks that they complete."""
        return list(map(self._records, self._cutter.feed(chunk)))

    def finish(self) -> list[Records]:
        """Return the last blocks.

        Raises
        ------
        InvalidRequestError
            When the file ends within quotes.
        """
        return list(map(self._records, self._cutter.finish()))

    def _records(self, block: Block) -> Records:
        form = self._form
        if form is None:
            form, block = self._begin(block)
            self._form = form
        ends = block.grammar.ends(block.data)
        filled = None if form.layout.blank_is_row else _filled(block.data, ends)
        records = Records(form, block, self._rows, ends, filled)
        self._rows += len(ends) if filled is None else int(np.count_nonzero(filled))
        return records

    def _begin(self, block: Block) -> tuple[Form, Block]:
        """Take the header off the first block."""
        layout, header, rest = split_header(
            block, self._options, self._limits, kept=False
        )
        columns, decimal = self._columns(layout, rest)
        line = header.removesuffix(b"\n").removesuffix(b"\r")
        asked = self._answering
        own = schema(asked.labels, asked.rating, cases=asked.cases is not None)
        names = [line, *(field.name.encode() for field in own)]
        delimiter, end = layout.grammar.delimiter, "\r\n" if layout.crlf else "\n"
        written = delimiter.join(names) + end.encode()
        wording = Wording(asked.labels, delimiter.decode(), decimal, end, asked.rating)
        return Form(layout, columns, written, wording), rest

    def _columns(self, layout: Layout, block: Block) -> tuple[FeatureColumns, Decimal]:
        """Return the features' columns, and the decimal mark of the answer's numbers.

        How numbers are written is told by the first block: all others are read so.
        """
        schema = self._answering.ready.schema
        reading = Reading(
            self._options, self._limits, text=True, of_model=True, learnt=schema.missing
        )
        columns = FeatureColumns(
            schema, layout.names, reading, self._answering.reference
        )
        if block.data and columns.names:
            table = strings(block, layout, 0, columns.names)
            cells = [column.combine_chunks() for column in table.columns]
            columns.learn(Batch(cells, 0, partial(place_of, block, layout)))
        decimal = self._options.decimal
        if decimal == "auto":
            free = layout.grammar.delimiter != b","
            decimal = "," if free and columns.commas else "."
        return columns, decimal

    def answer(self, records: Records) -> Answered:
        """Return the records of a block with their decisions, as bytes.

        May run in several threads at once, on different blocks.
        """
        form, block, first = records.form, records.block, records.first_row
        if not len(records.ends):
            return Answered(memoryview(b""), Tally(), b"")
        table = strings(block, form.layout, first, form.columns.names)
        cells = [column.combine_chunks() for column in table.columns]
        batch = Batch(cells, first, partial(place_of, block, form.layout))
        rows = form.columns.rows(batch)
        decided = self._answering.decide(rows, first)
        cases = None
        if self._answering.cases is not None:
            references = form.columns.references(batch)
            cases = self._answering.cases.of(rows, decided, references, first)
        lines = form.wording.lines(_written(records), decided, cases)
        logged = self._answering.logged(decided, first)
        return Answered(_bytes(lines), decided.tally(), logged)


def _filled(data: bytes, ends: NDArray[np.int64]) -> NDArray[np.bool_] | None:
    """Tell which records are more than a line end; None where all are."""
    if not len(ends):
        return None
    raw = np.frombuffer(data, dtype=np.uint8)
    lengths = np.diff(ends, prepend=0)
    blank = (lengths == 1) | ((lengths == 2) & (raw[ends - 2] == ord("\r")))
    return ~blank if blank.any() else None


def _written(records: Records) -> pa.StringArray:
    """Return each record as it was written, without its line end."""
    offsets = np.zeros(len(records.ends) + 1, dtype=np.int32)
    offsets[1:] = records.ends
    lines = pa.Array.from_buffers(
        pa.string(),
        len(records.ends),
        [None, pa.py_buffer(offsets), pa.py_buffer(records.block.data)],
    )
    if records.filled is not None:
        lines = lines.filter(pa.array(records.filled))
    return pc.ascii_rtrim(lines, "\r\n")


def _bytes(lines: pa.StringArray) -> memoryview:
    """Return the texts of a column, one behind the other."""
    if not len(lines):
        return memoryview(b"")
    _, offsets, data = lines.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)
    first, last = bounds[lines.offset], bounds[lines.offset + len(lines)]
    return memoryview(data)[first:last]
