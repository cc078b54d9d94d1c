"""Rows of a kernel matrix written into a table, piece by piece."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.kernels.kernel import Kernel
from solvers.kernels.tiles import Tile
from solvers.threads import even

__all__ = ["Piece", "RowSource", "Share", "Table"]

Indices = NDArray[np.int64]
Table = NDArray[np.floating[Any]]
Piece = tuple[slice, int, int]
Share = tuple[int, int]


class RowSource(ABC):
    """Fill a table with kernel rows.

    Parameters
    ----------
    kernel : Kernel
        With a number for gamma.
    X : float64 array or CSR matrix of shape (n_rows, n_features)
    """

    dtype: np.dtype[np.floating[Any]]

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        self.X = X
        self._prepare()
        self._tiles = self._tiles_of(None)

    def fill(
        self,
        rows: Indices,
        out: Table,
        slots: Indices,
        columns: Indices | None = None,
        own: Indices | None = None,
    ) -> None:
        """Write the kernel rows ``rows`` into ``out[slots]``.

        Parameters
        ----------
        rows : (m,) int64
        out : (n_slots, n) of the source's type, C-contiguous
        slots : (m,) int64
        columns : (c,) int64, optional
            Write only these columns, into the first c of ``out``; default all.
        own : (m,) int64, optional
            Where each row itself stands among the columns; default ``rows``.
        """
        for _ in self.pieces(rows, out, slots, columns, own):
            pass

    def pieces(
        self,
        rows: Indices,
        out: Table,
        slots: Indices,
        columns: Indices | None = None,
        own: Indices | None = None,
        share: Share | None = None,
    ) -> Iterator[Piece]:
        """Write rows as ``fill`` does, and stop after each piece of them.

        ``share`` is one of ``shares``: these columns alone.

        Yields
        ------
        (part, start, stop)
            The columns from start to stop of ``rows[part]`` have just been written:
            who reads them now finds them in the processor's cache.
        """
        own = rows if own is None else own
        tiles = self._tiles if columns is None else self._tiles_of(columns)
        step = self.rows_at_once(max(tile.stop - tile.start for tile in tiles))
        tiles = tiles if share is None else tiles[slice(*share)]
        for first in range(0, len(rows), step):
            part = slice(first, first + step)
            for tile in self._write(rows[part], own[part], tiles, out, slots[part]):
                yield part, tile.start, tile.stop

    def shares(self, most: int) -> list[Share]:
        """Return at most so many parts of the columns, for a thread each."""
        return even(len(self._tiles), most)

    def bounds(self, share: Share) -> list[tuple[int, int]]:
        """Return the columns of a share: (start, stop) of each tile."""
        return [(tile.start, tile.stop) for tile in self._tiles[slice(*share)]]

    @abstractmethod
    def rows_at_once(self, width: int) -> int:
        """Return how many rows of so many columns make up a piece."""

    @abstractmethod
    def _prepare(self) -> None:
        """Make what all tiles need."""

    @abstractmethod
    def _tiles_of(self, columns: Indices | None) -> list[Tile]:
        """Return tiles of some columns, written from column 0 on, or of all."""

    @abstractmethod
    def _write(
        self, rows: Indices, own: Indices, tiles: list[Tile], out: Table, slots: Indices
    ) -> Iterator[Tile]:
        """Write some rows of the tiles; yield each tile when it is written."""
