"""A CSV file on disk, as batches of text columns."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from app.datasets.reading.blocks import BLOCK_BYTES, RECODED, Block, Cutter
from app.datasets.reading.cells import first, trimmed
from app.datasets.reading.csv import Layout, place_of, split_header, strings
from app.datasets.reading.faults import fault
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.datasets.reading.sources import Batch
from app.errors import InvalidRequestError

__all__ = ["CsvSource"]


class CsvSource:
    """See ``sources.Source``; ``kept`` as in ``check_names``."""

    text = True

    def __init__(
        self, path: Path, options: ReadOptions, limits: Limits, *, kept: bool = True
    ) -> None:
        self._path, self._options, self._limits = path, options, limits
        self._kept = kept
        layout = self._begin(self._blocks())[0]
        self.names, self._unnamed = layout.named, layout.unnamed
        self._recoded = False

    @property
    def notes(self) -> tuple[str, ...]:
        """See ``sources.Source``."""
        notes = []
        if self._recoded:
            notes.append(RECODED)
        if self._unnamed:
            notes.append(
                f"columns without name or value at the end of the lines were passed"
                f" over: {self._unnamed}"
            )
        return tuple(notes)

    def batches(self) -> Iterator[Batch]:
        """Yield the rows block by block."""
        blocks = self._blocks()
        layout, block = self._begin(blocks)
        row = 0
        while block is not None:
            if block.data:
                table = strings(block, layout, row)
                columns = [_whole(column) for column in table.columns]
                batch = Batch(columns, row, partial(place_of, block, layout))
                yield _named(batch, len(self.names)) if self._unnamed else batch
                row += table.num_rows
            block = next(blocks, None)

    def _begin(self, blocks: Iterator[Block]) -> tuple[Layout, Block | None]:
        block = next(blocks, None)
        if block is None:
            msg = "the file is empty"
            raise InvalidRequestError(msg)
        layout, _, rest = split_header(
            block, self._options, self._limits, kept=self._kept
        )
        return layout, rest

    def _blocks(self) -> Iterator[Block]:
        cutter = Cutter(self._options, self._limits)
        with self._path.open("rb") as file:
            while chunk := file.read(BLOCK_BYTES):
                yield from cutter.feed(chunk)
        yield from cutter.finish()
        self._recoded = cutter.recoded


def _named(batch: Batch, n_named: int) -> Batch:
    """Return a batch without the columns that have no name; they hold nothing."""
    for j, cells in enumerate(batch.columns[n_named:], n_named):
        filled = pc.not_equal(trimmed(cells), "")
        if pc.any(filled, min_count=0).as_py():
            detail = "the column has no name, but values; name it, or leave it out"
            raise fault(detail, line=batch.line_of(first(filled)), position=j)
    return replace(batch, columns=batch.columns[:n_named])


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()
