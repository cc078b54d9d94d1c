"""A CSV file on disk, as batches of text columns."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa

from app.datasets.reading.blocks import BLOCK_BYTES, Block, Cutter
from app.datasets.reading.csv import Layout, place_of, split_header, strings
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
        self.names = self._begin(self._blocks())[0].names

    def batches(self) -> Iterator[Batch]:
        """Yield the rows block by block."""
        blocks = self._blocks()
        layout, block = self._begin(blocks)
        row = 0
        while block is not None:
            if block.data:
                table = strings(block, layout, row)
                columns = [_whole(column) for column in table.columns]
                yield Batch(columns, row, partial(place_of, block, layout))
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


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()
