"""Kernel rows in float32, many at a time by one matrix product.

Rows are centred and scaled before they are rounded to float32, since the Gaussian
kernel's squared distance is a difference of larger numbers. Where even so the lengths
are too large for float32, products are taken in float64 and only the result is
rounded.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.kernels.exponential import gaussian_rows
from solvers.kernels.kernel import evaluate
from solvers.kernels.source import RowSource, Table
from solvers.kernels.sparse_products import multiply_rows
from solvers.kernels.tiles import Tile, dense_tiles, panel_tiles, tile_products

__all__ = ["SingleRows"]

Indices = NDArray[np.int64]

# A piece of this size stays in the second-level cache while it is worked on.
_PIECE_BYTES = 2**19
_PIECE_COLUMNS = 2048
_LEAST_PIECE_ROWS, _MOST_PIECE_ROWS = 32, 256
# Of gamma |x|^2 / log(2): above, rows are taken in float64.
_MEAN_LENGTH, _MAX_LENGTH = 6.0, 92.0
# A sparse matrix is unpacked when that is small and its rows are not very sparse.
_UNPACK_BYTES = 512 * 2**20
_UNPACK_WIDTH = 512
_UNPACK_DENSITY = 0.1
# Above, a dense product of unpacked rows takes less time than one of their entries.
_SPARSE_DENSITY = 0.25


class SingleRows(RowSource):
    """Fill a table with float32 kernel rows."""

    dtype = np.dtype(np.float32)

    def rows_at_once(self, width: int) -> int:
        """Return how many rows of so many columns make up a piece."""
        fitting = _PIECE_BYTES // (4 * max(width, 1))
        return min(max(fitting, _LEAST_PIECE_ROWS), _MOST_PIECE_ROWS)

    def _write(
        self, rows: Indices, own: Indices, tiles: list[Tile], out: Table, slots: Indices
    ) -> Iterator[Tile]:
        if self._by_evaluation:
            for tile in tiles:
                out[slots, : tile.stop] = self._evaluated(rows, tile.others)
                yield tile
            return
        left = None if self._sparse is not None else self._scaled[rows]
        half = self._half[rows] if self._gaussian else None
        for tile in tiles:
            products = self._products(rows, left, tile)
            if self._gaussian:
                gaussian_rows(products, half, tile.half, own, tile.start, out, slots)
            else:
                out[slots, tile.start : tile.stop] = self._powered(products)
            yield tile

    def _evaluated(self, rows: Indices, columns: Indices | None) -> Any:
        X = self.X
        if self.kernel.kind == "precomputed":
            values = X[rows] if columns is None else X[rows][:, columns]
            return values.toarray() if sparse.issparse(values) else values
        return evaluate(self.kernel, X[rows], X if columns is None else X[columns])

    def _products(self, rows: Indices, left: Any, tile: Tile) -> Any:
        """Return the inner products of rows with a tile's."""
        if tile.place is None:
            return tile_products(left, tile.others)
        X = self._sparse
        out = np.empty((len(rows), tile.stop - tile.start), X.dtype)
        multiply_rows(X.data, X.indices, X.indptr, rows, tile.place, tile.others, out)
        return out

    def _tiles_of(self, columns: Indices | None) -> list[Tile]:
        width = self.X.shape[0] if columns is None else len(columns)
        if self._by_evaluation:
            return [Tile(0, width, columns, None)]
        half = _some(self._half, columns) if self._gaussian else None
        if self._sparse is not None:
            return panel_tiles(_some(self._sparse, columns), half)
        others = _some(self._scaled, columns)
        if sparse.issparse(others):
            return [Tile(0, width, others, half)]
        if columns is None:
            return dense_tiles(others, half, _PIECE_COLUMNS)
        return [Tile(0, width, others.T.copy(), half)]

    def _prepare(self) -> None:
        self._gaussian = self.kernel.kind == "rbf"
        self._by_evaluation = self.kernel.kind in {"precomputed", "callable"}
        self._sparse: Any = None
        if not self._by_evaluation:
            self._scale_rows()

    def _scale_rows(self) -> None:
        X, gamma = self.X, float(self.kernel.gamma)
        factor = {"rbf": np.sqrt(2.0 * gamma / np.log(2.0)), "linear": 1.0}.get(
            self.kernel.kind, np.sqrt(gamma)
        )
        if sparse.issparse(X):
            filled = X.nnz / max(X.shape[0] * X.shape[1], 1)
            small = X.shape[0] * X.shape[1] * 4 <= _UNPACK_BYTES
            if small and (X.shape[1] <= _UNPACK_WIDTH or filled > _UNPACK_DENSITY):
                if filled < _SPARSE_DENSITY and self._prepare_panels(X * factor):
                    return
                X = X.toarray()
        if self._gaussian and not sparse.issparse(X):
            X = X - X.mean(axis=0)
        scaled = X * factor
        single = scaled.astype(np.float32)
        if self._gaussian:
            half = _half_lengths(single)
            if _too_long(half):
                single, half = scaled, _half_lengths(scaled)
            self._half = half.astype(single.dtype)
        self._scaled = single

    def _prepare_panels(self, scaled: Any) -> bool:
        """Keep the rows sparse, unless their lengths, not centred, are too large."""
        single = scaled.astype(np.float32)
        if self._gaussian:
            half = _half_lengths(single)
            if _too_long(half):
                return False
            self._half = half.astype(np.float32)
        self._sparse = single
        return True

    def _powered(self, products: NDArray[np.floating[Any]]) -> Any:
        kernel = self.kernel
        if kernel.kind == "linear":
            return products
        products += products.dtype.type(kernel.coef0)
        if kernel.kind == "sigmoid":
            return np.tanh(products, out=products)
        return _power(products, int(kernel.degree))


def _some(rows: Any, chosen: Indices | None) -> Any:
    """Return some rows, or all of them without a copy."""
    return rows if chosen is None else rows[chosen]


def _too_long(half: NDArray[np.floating[Any]]) -> bool:
    """Tell whether float32 distances lose digits that matter."""
    return bool(half.mean() > _MEAN_LENGTH or half.max(initial=0.0) > _MAX_LENGTH)


def _half_lengths(X: Any) -> NDArray[np.float64]:
    if sparse.issparse(X):
        X = X.astype(np.float64)
        return np.asarray(X.multiply(X).sum(axis=1)).ravel() / 2
    return np.asarray(np.einsum("ij,ij->i", X, X, dtype=np.float64)) / 2


def _power(base: NDArray[np.floating[Any]], degree: int) -> Any:
    if degree == 0:
        return np.ones_like(base)
    power = base.copy()
    for _ in range(degree - 1):
        power *= base
    return power
