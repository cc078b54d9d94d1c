"""The rows that an active-set solver keeps at their knots, with their factor.

For the free rows F the equations (13) of Grandvalet et al. (2008) read

    K_FF x + 1 b = r,    1'x = s

They are solved through ``A = K_FF + c 11'``, which is positive definite exactly when
``K_FF`` is on the vectors that sum to zero, so that no row has to play the pivot of
the equality constraint. With ``A = LL'`` and ``e = L^-1 1`` the multiplier is a ratio
of inner products, and rows come and go in O(k^2).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.dual.cholesky import (
    delete_row,
    lower_solve,
    renew_ones,
    upper_solve,
)

__all__ = ["Entry", "FreeRows"]

Vector = NDArray[np.float64]

_SINGULAR = 1e-12
"""A pivot below this share of its diagonal entry is taken as zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """How the free rows answer when one more row's weight rises at unit speed.

    Parameters
    ----------
    response : array of shape (k,)
        Speed of each free weight, so that all free scores stay and the sum too.
    drift : float
        Speed of the bias.
    curvature : float
        Speed of the entering row's own score; 0 when it depends on the free rows.
    pivot : float
        What would be its squared diagonal entry in the factor.
    column : array of shape (k,)
        What would be its row of the factor.
    """

    response: Vector
    drift: float
    curvature: float
    pivot: float
    column: Vector


class FreeRows:
    """A list of rows of one kernel matrix, kept factorised.

    Parameters
    ----------
    kernel : array of shape (n, n)
        The symmetric kernel matrix in float64.
    """

    def __init__(self, kernel: NDArray[np.float64]) -> None:
        self._kernel = kernel
        diagonal = kernel.diagonal()
        self._shift = float(np.abs(diagonal).mean()) or 1.0
        # A kernel that is not positive semi-definite may have a negative diagonal.
        self._shift = max(self._shift, -2.0 * float(diagonal.min(initial=0.0)))
        self._factor = np.zeros((16, 16))
        self._ones = np.zeros(16)
        self._rows = np.zeros(16, dtype=np.int64)
        self.count = 0

    @property
    def rows(self) -> NDArray[np.int64]:
        """Return the row numbers in factor order (a view)."""
        return self._rows[: self.count]

    def entry(self, row: int) -> Entry:
        """Return the answer to ``row``; there must be a free row already."""
        k = self.count
        column = self._kernel[row, self.rows] + self._shift
        diagonal = self._kernel[row, row] + self._shift
        ones = self._ones[:k]
        column = lower_solve(self._factor, k, column)
        drift = float((1.0 - ones @ column) / (ones @ ones))
        response = -upper_solve(self._factor, k, column + drift * ones)
        pivot = float(diagonal - column @ column)
        return Entry(
            response=response,
            drift=drift,
            curvature=pivot + drift * drift * float(ones @ ones),
            pivot=pivot,
            column=column,
        )

    def correction(self, residual: Vector, missing: float) -> tuple[Vector, float]:
        """Return (x, b) with ``K_FF x + 1 b = residual`` and ``1'x = missing``."""
        k = self.count
        ones = self._ones[:k]
        half = lower_solve(self._factor, k, residual)
        multiplier = float((ones @ half - missing) / (ones @ ones))
        x = upper_solve(self._factor, k, half - multiplier * ones)
        return x, multiplier + self._shift * missing

    def append(self, row: int, entry: Entry | None = None) -> bool:
        """Take ``row`` in, unless it depends on the rows already there."""
        k = self.count
        diagonal = float(self._kernel[row, row]) + self._shift
        if entry is None and k > 0:
            entry = self.entry(row)
        pivot = diagonal if entry is None else entry.pivot
        if pivot <= _SINGULAR * abs(diagonal):
            return False
        if k == len(self._rows):
            self._grow(2 * k)
        if entry is not None:
            self._factor[k, :k] = entry.column
        self._factor[k, k] = np.sqrt(pivot)
        self._rows[k] = row
        self.count = k + 1
        self._renew_ones(k)
        return True

    def delete(self, place: int) -> None:
        """Let the row at ``place`` of ``rows`` go."""
        delete_row(self._factor, self.count, place)
        self._rows[place : self.count - 1] = self._rows[place + 1 : self.count].copy()
        self.count -= 1
        self._renew_ones(place)

    def reset(self, rows: NDArray[np.int64]) -> None:
        """Factorise anew for these rows; those that depend on others are left out."""
        self.count = 0
        if len(rows) > len(self._rows):
            self._grow(len(rows))
        block = self._kernel[np.ix_(rows, rows)] + self._shift
        try:
            factor = np.linalg.cholesky(block)
        except np.linalg.LinAlgError:
            factor = np.zeros_like(block)
        if (factor.diagonal() ** 2 > _SINGULAR * block.diagonal()).all():
            k = len(rows)
            self._factor[:k, :k] = factor
            self._rows[:k] = rows
            self.count = k
            self._renew_ones(0)
            return
        for row in rows:
            self.append(int(row))

    def _renew_ones(self, first: int) -> None:
        renew_ones(self._factor, self._ones, first, self.count)

    def _grow(self, capacity: int) -> None:
        k = self.count
        factor = np.zeros((capacity, capacity))
        factor[:k, :k] = self._factor[:k, :k]
        self._factor = factor
        self._ones = np.concatenate([self._ones[:k], np.zeros(capacity - k)])
        rows = np.zeros(capacity, dtype=np.int64)
        rows[:k] = self._rows[:k]
        self._rows = rows
