"""Kernel rows in float64: exact up to rounding, for certificates and large weights."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.kernels.exponential_double import gaussian_rows_double
from solvers.kernels.kernel import evaluate
from solvers.kernels.source import RowSource, Table
from solvers.kernels.tiles import Tile

__all__ = ["DoubleRows"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHUNK_ROWS = 64


class DoubleRows(RowSource):
    """Fill a table with float64 kernel rows: few of them, so all columns at once."""

    dtype = np.dtype(np.float64)

    def _prepare(self) -> None:
        self._lengths: tuple[Floats, Floats, Floats] | None = None

    def block(
        self,
        rows: Indices,
        columns: Indices | None = None,
        own: Indices | None = None,
    ) -> Floats:
        """Return the kernel between rows and columns (default all).

        ``own`` says where each row itself stands among the columns.
        """
        X = self.X
        if self.kernel.kind == "precomputed":
            part = X[rows] if columns is None else X[rows][:, columns]
            return np.array(evaluate(self.kernel, part, None))
        if self.kernel.kind != "rbf":
            others = X if columns is None else X[columns]
            return evaluate(self.kernel, X[rows], others)
        values = self._gaussian(rows, columns)
        # A distance of exactly 0 is not what a difference of lengths gives.
        values[np.arange(len(rows)), rows if own is None else own] = 1.0
        return values

    def _gaussian(self, rows: Indices, columns: Indices | None) -> Floats:
        X = self.X
        if sparse.issparse(X):
            others = X if columns is None else X[columns]
            return evaluate(self.kernel, X[rows], others)
        if self._lengths is None:
            # At once: threads that meet here both find the same, whole.
            self._lengths = self._of_all_rows()
        scaled, halves, transposed = self._lengths
        if columns is None:
            right, half = transposed, halves
        else:
            right, half = scaled[columns].T.copy(), halves[columns]
        products = scaled[rows] @ right
        gaussian_rows_double(products, halves[rows], half)
        return np.asarray(products)

    def _of_all_rows(self) -> tuple[Floats, Floats, Floats]:
        """Return the scaled rows, half of their squared lengths, and the rows' columns.

        Centred: lengths stay small, and with them what their difference loses.
        """
        scale = np.sqrt(2.0 * float(self.kernel.gamma))
        scaled = (self.X - self.X.mean(axis=0)) * scale
        half = np.einsum("ij,ij->i", scaled, scaled) / 2
        return scaled, half, scaled.T.copy()

    def rows_at_once(self, width: int) -> int:
        """Return how many rows make up a piece."""
        del width
        return _CHUNK_ROWS

    def _tiles_of(self, columns: Indices | None) -> list[Tile]:
        width = self.X.shape[0] if columns is None else len(columns)
        return [Tile(0, width, columns, None)]

    def _write(
        self, rows: Indices, own: Indices, tiles: list[Tile], out: Table, slots: Indices
    ) -> Iterator[Tile]:
        for tile in tiles:
            out[slots, : tile.stop] = self.block(rows, tile.others, own)
            yield tile
