"""Nystrom's features of a kernel: what some rows, the landmarks, tell of all others.

    z(x) = W' k(L, x),   W = U diag(v)^(-1/2),   K_LL = U diag(v) U'

so that ``z(x)'z(x')`` is the kernel of the projections on the span of the landmarks:
the kernel itself where every row is one. Eigenvalues below ``cut`` times the largest
are left out, being rounding. A weight vector ``w`` on the features is a kernel machine
of the landmarks with coefficients ``W w``. Source: Williams, Seeger (2001).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh

from solvers.errors import IndefiniteKernelError
from solvers.kernels.kernel import evaluate
from solvers.kernels.rows import KernelRows

__all__ = ["LandmarkFeatures"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_CHUNK_ROWS = 4096


class LandmarkFeatures:
    """Features of the rows of a kernel matrix, computed some rows at a time.

    Parameters
    ----------
    rows : KernelRows
    landmarks : (m,) int64
        Which of the rows are landmarks.
    cut : float
        Relative to the largest eigenvalue: what is at most this is left out.
    between : callable, optional
        Called between pieces of work of less than a second.

    Raises
    ------
    ValueError
        When no eigenvalue of the landmarks' kernel matrix is positive.
    """

    def __init__(
        self,
        rows: KernelRows,
        landmarks: Indices,
        cut: float,
        between: Callable[[], None] | None = None,
    ) -> None:
        self._rows, self._landmarks = rows, landmarks
        self._between = between or (lambda: None)
        X = rows.X
        # Centred: lengths stay small, and with them what their difference loses.
        dense = rows.kernel.kind == "rbf" and not sparse.issparse(X)
        self._centre = X[landmarks].mean(axis=0) if dense else None
        self._vectors = self._centred(landmarks)
        values, vectors = eigh(evaluate(rows.kernel, self._vectors, self._vectors))
        kept = values > cut * max(values[-1], 0.0)
        if not kept.any():
            msg = (
                f"the {rows.kernel.kind} kernel has no positive eigenvalue among these"
                f" {len(self._vectors)} landmarks: take others of its parameters,"
                " another kernel, or the exact machine"
            )
            raise IndefiniteKernelError(msg)
        self.map: Floats = vectors[:, kept] / np.sqrt(values[kept])

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self._rows.n_rows

    @property
    def rank(self) -> int:
        """Return the number of features."""
        return int(self.map.shape[1])

    def exact(self) -> Floats:
        """Return all features in float64, shape (n_rows, rank); for few rows."""
        parts = [self._kernel(part) @ self.map for part in self._parts()]
        return np.concatenate(parts)

    def single(self, rows: Indices) -> NDArray[np.float32]:
        """Return the features of some rows in float32, shape (len(rows), rank)."""
        source, m = self._rows.single(), len(self._landmarks)
        onto = self.map.astype(np.float32)
        features = np.empty((len(rows), self.rank), np.float32)
        kernel = np.empty((m, min(_CHUNK_ROWS, len(rows))), np.float32)
        slots, nowhere = np.arange(m), np.full(m, -1)
        for start in range(0, len(rows), _CHUNK_ROWS):
            part = rows[start : start + _CHUNK_ROWS]
            source.fill(self._landmarks, kernel, slots, part, nowhere)
            out = features[start : start + len(part)]
            np.matmul(kernel[:, : len(part)].T, onto, out=out)
            self._between()
        return features

    def scores(self, direction: Floats) -> Floats:
        """Return ``z(x)'w`` of every row in float64, from the kernel itself."""
        coefficients = self.map @ direction
        return np.concatenate(
            [self._kernel(part) @ coefficients for part in self._parts()]
        )

    def direction(self, weights: Floats) -> Floats:
        """Return ``sum_i weights_i z(x_i)`` in float64, from the kernel itself."""
        total = np.zeros(len(self._landmarks))
        for part in self._parts():
            used = part[weights[part] != 0.0]
            if len(used):
                total += weights[used] @ self._kernel(used)
        return np.asarray(total @ self.map)

    def _parts(self) -> list[Indices]:
        every = np.arange(self.n_rows)
        return [every[i : i + _CHUNK_ROWS] for i in range(0, len(every), _CHUNK_ROWS)]

    def _kernel(self, rows: Indices) -> Floats:
        """Return the kernel between rows and landmarks, shape (len(rows), m)."""
        self._between()
        return evaluate(self._rows.kernel, self._centred(rows), self._vectors)

    def _centred(self, rows: Indices) -> Any:
        part = self._rows.X[rows]
        return part if self._centre is None else part - self._centre
