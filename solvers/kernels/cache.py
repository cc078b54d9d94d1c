"""Kernel rows kept for reuse, the least recently used replaced first."""

import numpy as np
from numpy.typing import NDArray

from solvers.kernels.double import DoubleRows
from solvers.kernels.single import SingleRows

__all__ = ["RowCache"]

Indices = NDArray[np.int64]


class RowCache:
    """A table of kernel rows of bounded size.

    Parameters
    ----------
    source : SingleRows or DoubleRows
        What computes the rows, and says their type.
    n_rows : int
    megabytes : float
        Bound of the table; at least ``least_rows`` rows are kept in any case.
    least_rows : int
    """

    def __init__(
        self,
        source: SingleRows | DoubleRows,
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

    def fetch(self, rows: Indices) -> Indices:
        """Return the slots of ``table`` that hold these rows, computing what lacks.

        Slots stay valid until the next call. At most ``capacity`` distinct rows.
        """
        self._clock += 1
        slots = self._slot_of[rows]
        self._used_at[slots[slots >= 0]] = self._clock
        missing = rows[slots < 0]
        if len(missing):
            oldest = np.argpartition(self._used_at, len(missing) - 1)[: len(missing)]
            oldest.sort()
            leaving = self._row_in[oldest]
            self._slot_of[leaving[leaving >= 0]] = -1
            self._slot_of[missing] = oldest
            self._row_in[oldest] = missing
            self._used_at[oldest] = self._clock
            self.source.fill(missing, self.table, oldest)
            self.computed += len(missing)
            slots = self._slot_of[rows]
        return slots
