"""Kernel rows kept for reuse, the least recently used replaced first."""

import numpy as np
from numpy.typing import NDArray

from solvers.kernels.source import RowSource
from solvers.kernels.sums import add_rows
from solvers.threads import Team

__all__ = ["RowCache"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class RowCache:
    """A table of kernel rows of bounded size.

    Parameters
    ----------
    source : RowSource
        What computes the rows, and says their type.
    n_rows : int
    megabytes : float
        Bound of the table; at least ``least_rows`` rows are kept in any case.
    least_rows : int
    """

    def __init__(
        self,
        source: RowSource,
        n_rows: int,
        megabytes: float,
        least_rows: int = 64,
    ) -> None:
        row_bytes = source.dtype.itemsize * max(n_rows, 1)
        fitting = int(megabytes * 2**20 / row_bytes)
        self.capacity = min(n_rows, max(fitting, least_rows))
        # Memory of an empty table is given out by the system on first use only.
        self.table = np.empty((self.capacity, n_rows), dtype=source.dtype)
        self.computed = 0
        self.source = source
        self._slot_of = np.full(n_rows, -1, dtype=np.int64)
        self._row_in = np.full(self.capacity, -1, dtype=np.int64)
        self._used_at = np.zeros(self.capacity, dtype=np.int64)
        self._clock = 0
        self.team = Team()
        self._columns = source.shares(self.team.size)

    def add_to(self, g: Floats, rows: Indices, change: Floats) -> None:
        """Add ``sum_a change[a] * K[rows[a]]`` to ``g``, in place and in float64.

        Rows that are not in the table are computed, and added piece by piece while
        each piece is still in the processor's cache. At most ``capacity`` distinct
        rows.
        """
        self._clock += 1
        slots = self._slot_of[rows]
        lacking = slots < 0
        held, of_held = slots[~lacking], change[~lacking]
        self._used_at[held] = self._clock
        missing, of_missing = rows[lacking], change[lacking]
        slots = self._room_for(missing) if len(missing) else missing

        def columns(share: tuple[int, int]) -> None:
            for start, stop in self.source.bounds(share):
                add_rows(g, self.table, held, of_held, start, stop)
            pieces = self.source.pieces(missing, self.table, slots, share=share)
            for part, start, stop in pieces:
                add_rows(g, self.table, slots[part], of_missing[part], start, stop)

        self.team.each(columns, self._columns)

    def _room_for(self, rows: Indices) -> Indices:
        """Return slots for new rows, those used least recently."""
        oldest = np.argpartition(self._used_at, len(rows) - 1)[: len(rows)]
        oldest.sort()
        leaving = self._row_in[oldest]
        self._slot_of[leaving[leaving >= 0]] = -1
        self._slot_of[rows] = oldest
        self._row_in[oldest] = rows
        self._used_at[oldest] = self._clock
        self.computed += len(rows)
        return oldest
