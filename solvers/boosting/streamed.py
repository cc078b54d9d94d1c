"""Rows that are read again and again, some at a time, and never held at once.

Boosters need of a row its byte codes alone: they read such rows twice, for the cut
points (from the rows that are drawn of a table in memory) and for the codes, which are
the same to the bit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["StreamedRows"]

Floats = NDArray[np.float64]

_BATCH_ROWS = 65_536


class StreamedRows:
    """A table of numbers that is read in blocks.

    Parameters
    ----------
    read : function () -> iterable of arrays of shape (some, n_features)
        Reads the rows from the first to the last; called once for each pass.
    n_rows, n_features : int
        As many rows as ``read`` gives, and as wide.
    """

    def __init__(
        self, read: Callable[[], Iterable[Any]], n_rows: int, n_features: int
    ) -> None:
        self._read = read
        self.shape = (n_rows, n_features)

    @classmethod
    def of_parquet(
        cls, file: str | Path, columns: Sequence[str], batch_rows: int = _BATCH_ROWS
    ) -> Self:
        """Return the rows of a Parquet file, row group by row group.

        Parameters
        ----------
        file : str or Path
        columns : sequence of str
            Of numbers or booleans; a null is a missing value.
        batch_rows : int, default=65536
            Rows read at once.
        """
        import pyarrow.parquet as pq  # noqa: PLC0415 - only who reads Parquet needs it

        wanted = list(columns)

        def read() -> Iterator[Floats]:
            # One row group at a time: buffers of all of them would be the whole file.
            with pq.ParquetFile(file, pre_buffer=False) as table:
                for group in range(table.num_row_groups):
                    for batch in table.iter_batches(
                        batch_rows, [group], columns=wanted, use_threads=False
                    ):
                        yield _numbers(batch, wanted)

        with pq.ParquetFile(file) as table:
            n_rows = table.metadata.num_rows
        return cls(read, n_rows, len(wanted))

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.shape[0]

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Yield (place of the first row, rows) from the first to the last row.

        Raises
        ------
        ValueError
            When a number is infinite, or the blocks are not of ``shape``: then the
            rows have changed since they were counted.
        """
        start, (n_rows, n_features) = 0, self.shape
        for read in self._read():
            block = np.ascontiguousarray(read, dtype=np.float64)
            stop = start + len(block)
            if block.ndim != 2 or block.shape[1] != n_features or stop > n_rows:
                break
            if np.isinf(block).any():
                msg = "streamed rows hold an infinite number; leave such rows out"
                raise ValueError(msg)
            yield start, block
            start = stop
        if start < n_rows:
            msg = (
                f"streamed rows must be {n_rows} of {n_features} numbers each time they"
                f" are read; this time only {start} were"
            )
            raise ValueError(msg)

    def __getitem__(self, rows: slice | NDArray[np.integer[Any]]) -> Floats:
        """Return some rows in memory, in one pass; indices ascend, and may repeat."""
        if isinstance(rows, slice):
            rows = np.arange(*rows.indices(len(self)))
        taken = np.empty((len(rows), self.shape[1]))
        for start, block in self.blocks():
            first, last = np.searchsorted(rows, (start, start + len(block)))
            taken[first:last] = block[rows[first:last] - start]
            if last == len(rows):
                break
        return taken


def _numbers(batch: Any, names: Sequence[str]) -> Floats:
    """Return columns of a record batch as an array, nulls as NaN."""
    block = np.empty((batch.num_rows, len(names)))
    for place, name in enumerate(names):
        cells = batch.column(name).cast("float64")
        block[:, place] = cells.to_numpy(zero_copy_only=False)
    return block
