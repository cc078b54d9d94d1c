"""Kernel rows in float32, many at a time by one matrix product.

Rows are centred and scaled before they are rounded to float32, since the Gaussian
kernel's squared distance is a difference of larger numbers. Where even so the lengths
are too large for float32, products are taken in float64 and only the result is
rounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.kernels.exponential import gaussian_rows
from solvers.kernels.kernel import Kernel, evaluate

__all__ = ["Piece", "SingleRows"]

Indices = NDArray[np.int64]
Piece = tuple[slice, int, int]

# A piece of this size stays in the second-level cache while it is worked on.
_PIECE_BYTES = 2**19
_PIECE_COLUMNS = 2048
_LEAST_PIECE_ROWS, _MOST_PIECE_ROWS = 32, 256
# Above these gamma |x|^2 / log(2), float32 distances lose digits that matter.
_MEAN_LENGTH, _MAX_LENGTH = 6.0, 92.0
# A sparse matrix is unpacked when that is small and its rows are not very sparse.
_UNPACK_BYTES = 512 * 2**20
_UNPACK_WIDTH = 512
_UNPACK_DENSITY = 0.1


class SingleRows:
    """Fill a table with float32 kernel rows.

    Parameters
    ----------
    kernel : Kernel
        With a number for gamma.
    X : float64 array or CSR matrix of shape (n_rows, n_features)
    """

    dtype = np.dtype(np.float32)

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        self.X = X
        self._gaussian = kernel.kind == "rbf"
        self._by_evaluation = kernel.kind in {"precomputed", "callable"}
        if not self._by_evaluation:
            self._prepare()
        self._tiles = self._all_tiles()

    def fill(
        self,
        rows: Indices,
        out: NDArray[np.floating[Any]],
        slots: Indices,
        columns: Indices | None = None,
        own: Indices | None = None,
    ) -> None:
        """Write the kernel rows ``rows`` into ``out[slots]``.

        Parameters
        ----------
        rows : (m,) int64
        out : (n_slots, n) float32, C-contiguous
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
        out: NDArray[np.floating[Any]],
        slots: Indices,
        columns: Indices | None = None,
        own: Indices | None = None,
    ) -> Iterator[Piece]:
        """Write rows as ``fill`` does, and stop after each piece of them.

        Yields
        ------
        (part, start, stop)
            The columns from start to stop of ``rows[part]`` have just been written:
            who reads them now finds them in the processor's cache.
        """
        own = rows if own is None else own
        tiles = self._tiles if columns is None else [self._tile(columns)]
        width = max(tile.stop - tile.start for tile in tiles)
        step = np.clip(_PIECE_BYTES // (4 * width), _LEAST_PIECE_ROWS, _MOST_PIECE_ROWS)
        for first in range(0, len(rows), int(step)):
            part = slice(first, first + int(step))
            left = None if self._by_evaluation else self._scaled[rows[part]]
            for tile in tiles:
                if left is None:
                    out[slots[part], :width] = self._evaluated(rows[part], columns)
                elif self._gaussian:
                    gaussian_rows(
                        _products(left, tile.others),
                        self._half[rows[part]],
                        tile.half,
                        own[part],
                        tile.start,
                        out,
                        slots[part],
                    )
                else:
                    values = self._powered(_products(left, tile.others))
                    out[slots[part], tile.start : tile.stop] = values
                yield part, tile.start, tile.stop

    def _evaluated(self, rows: Indices, columns: Indices | None) -> Any:
        X = self.X
        if self.kernel.kind == "precomputed":
            values = X[rows] if columns is None else X[rows][:, columns]
            return values.toarray() if sparse.issparse(values) else values
        return evaluate(self.kernel, X[rows], X if columns is None else X[columns])

    def _tile(self, columns: Indices) -> "_Tile":
        """Return the tile of these columns, to be written from column 0 on."""
        if self._by_evaluation:
            return _Tile(0, len(columns), None, None)
        others = self._scaled[columns]
        if not sparse.issparse(others):
            others = others.T.copy()
        half = self._half[columns] if self._gaussian else None
        return _Tile(0, len(columns), others, half)

    def _all_tiles(self) -> list["_Tile"]:
        n = self.X.shape[0]
        if self._by_evaluation:
            return [_Tile(0, n, None, None)]
        if sparse.issparse(self._scaled):
            return [_Tile(0, n, self._scaled, self._half if self._gaussian else None)]
        bounds = np.linspace(0, n, -(-n // _PIECE_COLUMNS) + 1).astype(int).tolist()
        return [
            _Tile(
                start,
                stop,
                self._scaled[start:stop].T.copy(),
                self._half[start:stop] if self._gaussian else None,
            )
            for start, stop in pairwise(bounds)
        ]

    def _prepare(self) -> None:
        X, gamma = self.X, float(self.kernel.gamma)
        if sparse.issparse(X):
            small = X.shape[0] * X.shape[1] * 4 <= _UNPACK_BYTES
            dense_enough = X.nnz > _UNPACK_DENSITY * X.shape[0] * X.shape[1]
            if small and (X.shape[1] <= _UNPACK_WIDTH or dense_enough):
                X = X.toarray()
        factor = {"rbf": np.sqrt(2.0 * gamma / np.log(2.0)), "linear": 1.0}.get(
            self.kernel.kind, np.sqrt(gamma)
        )
        if self._gaussian and not sparse.issparse(X):
            X = X - X.mean(axis=0)
        scaled = X * factor
        single = scaled.astype(np.float32)
        if self._gaussian:
            half = _half_lengths(single)
            if half.mean() > _MEAN_LENGTH or half.max(initial=0.0) > _MAX_LENGTH:
                single, half = scaled, _half_lengths(scaled)
            self._half = half.astype(single.dtype)
        self._scaled = single

    def _powered(self, products: NDArray[np.floating[Any]]) -> Any:
        kernel = self.kernel
        if kernel.kind == "linear":
            return products
        products += products.dtype.type(kernel.coef0)
        if kernel.kind == "sigmoid":
            return np.tanh(products, out=products)
        return _power(products, int(kernel.degree))


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    """Neighbouring columns of the table, and the scaled rows they stand for.

    ``others`` is (n_features, width) when dense, else a CSR matrix of the rows;
    ``half`` are half their squared lengths.
    """

    start: int
    stop: int
    others: Any
    half: NDArray[np.floating[Any]] | None


def _products(left: Any, others: Any) -> NDArray[np.floating[Any]]:
    if sparse.issparse(others):
        return np.ascontiguousarray((others @ left.T.toarray()).T)
    return np.asarray(left @ others)


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
