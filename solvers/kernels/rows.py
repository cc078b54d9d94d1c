"""The kernel matrix of a training set, computed in rows on demand.

``block`` gives float32 rows for the solvers' inner loops; ``matrix``, ``product`` and
``diagonal`` are float64 and certify what the loops did.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.kernels.cache import RowCache
from solvers.kernels.double import DoubleRows
from solvers.kernels.kernel import Kernel, evaluate
from solvers.kernels.single import SingleRows
from solvers.kernels.sparse_sums import kernel_sums

__all__ = ["KernelRows"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHUNK_BYTES = 8 * 2**20


class KernelRows:
    """Rows of the kernel matrix between the rows of ``X``.

    Parameters
    ----------
    kernel : Kernel
        Gamma is resolved from X when it is a name.
    X : float64 array or CSR matrix of shape (n_rows, n_features)
        The square matrix itself for the precomputed kernel.
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel.resolved(X)
        self.X = X
        if kernel.kind == "precomputed" and X.shape[0] != X.shape[1]:
            msg = f"a precomputed kernel must be square, got shape {X.shape}"
            raise ValueError(msg)
        if sparse.issparse(X):
            self.X = X.tocsr()
        self._single: SingleRows | None = None
        self._double = DoubleRows(self.kernel, self.X)
        self._caches: dict[bool, RowCache] = {}
        self._wholes: dict[bool, NDArray[np.floating[Any]]] = {}

    @property
    def n_rows(self) -> int:
        """Return the number of rows, and columns, of the matrix."""
        return int(self.X.shape[0])

    def diagonal(self) -> Floats:
        """Return ``k(x_i, x_i)``, shape (n_rows,)."""
        kind = self.kernel.kind
        if kind == "rbf":
            return np.ones(self.n_rows)
        if kind == "precomputed":
            return np.array(self.X.diagonal(), dtype=np.float64)
        rows = range(self.n_rows)
        if kind == "callable":
            one = (evaluate(self.kernel, self.X[[i]], self.X[[i]]) for i in rows)
            return np.array([value[0, 0] for value in one])
        if sparse.issparse(self.X):
            squares = np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel()
        else:
            squares = np.einsum("ij,ij->i", self.X, self.X)
        return _of_products(self.kernel, squares)

    def exact_block(self, rows: Indices) -> Floats:
        """Return rows of the matrix in float64, shape (len(rows), n_rows)."""
        return self._double.block(rows)

    def single(self) -> SingleRows:
        """Return the float32 side of these rows, prepared once."""
        if self._single is None:
            self._single = SingleRows(self.kernel, self.X)
        return self._single

    def block(self, rows: Indices) -> NDArray[np.float32]:
        """Return rows of the matrix in float32, shape (len(rows), n_rows)."""
        out = np.empty((len(rows), self.n_rows), dtype=np.float32)
        self.single().fill(rows, out, np.arange(len(rows)))
        return out

    def cached(self, megabytes: float, precise: bool = False) -> RowCache:
        """Return a bounded table of rows; later calls share the first one.

        Parameters
        ----------
        megabytes : float
        precise : bool
            Float64 rows, half as many, instead of float32.
        """
        if precise not in self._caches:
            source = self._double if precise else self.single()
            self._caches[precise] = RowCache(source, self.n_rows, megabytes)
        return self._caches[precise]

    def whole(self, precise: bool) -> NDArray[np.floating[Any]]:
        """Return the whole matrix, float64 when ``precise``, else float32; kept."""
        if precise not in self._wholes:
            rows = np.arange(self.n_rows)
            self._wholes[precise] = self.matrix() if precise else self.block(rows)
        return self._wholes[precise]

    def matrix(self) -> Floats:
        """Return the whole matrix in float64, exactly symmetric; for small n."""
        full = self.exact_block(np.arange(self.n_rows))
        return (full + full.T) / 2

    def product(
        self, weights: Floats, between: Callable[[], None] | None = None
    ) -> Floats:
        """Return ``K @ weights`` in float64, touching only rows of nonzero weight.

        ``between`` is called between pieces of work of less than a second.
        """
        used = np.flatnonzero(weights)
        named = self.kernel.kind not in {"precomputed", "callable"}
        if named and sparse.issparse(self.X):
            vectors = self.X[used]
            return kernel_sums(self.kernel, self.X, vectors, weights[used], between)
        scores = np.zeros(self.n_rows)
        step = max(16, _CHUNK_BYTES // (8 * max(self.n_rows, 1)))
        for start in range(0, len(used), step):
            rows = used[start : start + step]
            scores += weights[rows] @ self.exact_block(rows)
            if between is not None:
                between()
        return scores


def _of_products(kernel: Kernel, products: Floats) -> Floats:
    if kernel.kind == "linear":
        return products
    shifted = float(kernel.gamma) * products + kernel.coef0
    if kernel.kind == "sigmoid":
        return np.asarray(np.tanh(shifted))
    return np.asarray(shifted**kernel.degree)
