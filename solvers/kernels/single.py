"""Kernel rows in float32, many at a time by one matrix product.

Rows are centred and scaled before they are rounded to float32, since the Gaussian
kernel's squared distance is a difference of larger numbers. Where even so the lengths
are too large for float32, products are taken in float64 and only the result is
rounded.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.kernels.exponential import gaussian_rows
from solvers.kernels.kernel import Kernel, evaluate

__all__ = ["SingleRows"]

Indices = NDArray[np.int64]

_CHUNK_BYTES = 2 * 2**20
_CHUNK_ROWS = 256
# Above these |x - z|^2 gamma scales, float32 distances lose digits that matter.
_MEAN_LENGTH, _MAX_LENGTH = 4.0, 64.0
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
        others = self._of(columns)
        own = rows if own is None else own
        width = self.X.shape[0] if columns is None else len(columns)
        step = int(np.clip(_CHUNK_BYTES // (4 * max(width, 1)), 32, _CHUNK_ROWS))
        for start in range(0, len(rows), step):
            stop = start + step
            part, places = rows[start:stop], slots[start:stop]
            if self._by_evaluation:
                out[places, :width] = self._evaluated(part, columns)
            elif self._gaussian:
                gaussian_rows(
                    self._products(part, others),
                    self._half[part],
                    self._half if columns is None else self._half[columns],
                    own[start:stop],
                    out,
                    places,
                )
            else:
                out[places, :width] = self._powered(self._products(part, others))

    def _evaluated(self, rows: Indices, columns: Indices | None) -> Any:
        X = self.X
        if self.kernel.kind == "precomputed":
            values = X[rows] if columns is None else X[rows][:, columns]
            return values.toarray() if sparse.issparse(values) else values
        return evaluate(self.kernel, X[rows], X if columns is None else X[columns])

    def _of(self, columns: Indices | None) -> Any:
        """Return the scaled rows that columns stand for, as products need them."""
        if self._by_evaluation:
            return None
        if columns is None:
            return self._scaled if self._transposed is None else self._transposed
        chosen = self._scaled[columns]
        return chosen if self._transposed is None else chosen.T.copy()

    def _prepare(self) -> None:
        X, gamma = self.X, float(self.kernel.gamma)
        if sparse.issparse(X):
            small = X.shape[0] * X.shape[1] * 4 <= _UNPACK_BYTES
            dense_enough = X.nnz > _UNPACK_DENSITY * X.shape[0] * X.shape[1]
            if small and (X.shape[1] <= _UNPACK_WIDTH or dense_enough):
                X = X.toarray()
        factor = {"rbf": np.sqrt(2.0 * gamma), "linear": 1.0}.get(
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
        self._transposed = None if sparse.issparse(single) else single.T.copy()

    def _products(self, rows: Indices, others: Any) -> NDArray[np.floating[Any]]:
        left = self._scaled[rows]
        if self._transposed is None:
            return np.ascontiguousarray((others @ left.T.toarray()).T)
        return np.asarray(left @ others)

    def _powered(self, products: NDArray[np.floating[Any]]) -> Any:
        kernel = self.kernel
        if kernel.kind == "linear":
            return products
        products += products.dtype.type(kernel.coef0)
        if kernel.kind == "sigmoid":
            return np.tanh(products, out=products)
        return _power(products, int(kernel.degree))


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
