"""Kernel rows in float64: exact up to rounding, for certificates and large weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.kernels.kernel import Kernel, evaluate

__all__ = ["DoubleRows"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHUNK_ROWS = 64


class DoubleRows:
    """Fill a table with float64 kernel rows.

    Parameters
    ----------
    kernel : Kernel
        With a number for gamma.
    X : float64 array or CSR matrix of shape (n_rows, n_features)
    """

    dtype = np.dtype(np.float64)

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self.kernel = kernel
        self.X = X

    def block(self, rows: Indices, columns: Indices | None = None) -> Floats:
        """Return the kernel between rows and columns (default all)."""
        X = self.X
        if self.kernel.kind == "precomputed":
            part = X[rows] if columns is None else X[rows][:, columns]
            return np.array(evaluate(self.kernel, part, None))
        values = evaluate(self.kernel, X[rows], X if columns is None else X[columns])
        if self.kernel.kind == "rbf":
            others = np.arange(X.shape[0]) if columns is None else columns
            # A distance of exactly 0 is not what a difference of lengths gives.
            values[rows[:, np.newaxis] == others] = 1.0
        return values

    def fill(
        self,
        rows: Indices,
        out: NDArray[np.floating[Any]],
        slots: Indices,
        columns: Indices | None = None,
        own: Indices | None = None,  # noqa: ARG002 - as SingleRows
    ) -> None:
        """Write the kernel rows ``rows`` into ``out[slots]`` (see SingleRows)."""
        width = self.X.shape[0] if columns is None else len(columns)
        for start in range(0, len(rows), _CHUNK_ROWS):
            part = slice(start, start + _CHUNK_ROWS)
            out[slots[part], :width] = self.block(rows[part], columns)
