"""A Cholesky factor that grows and shrinks by one row.

``L L' = A[rows][:, rows]`` for a list of rows that changes one at a time: appending
a row is a triangular solve, deleting one is a sweep of Givens rotations, both
O(k^2) (Golub and Van Loan, Matrix Computations, section 6.5.4). The factor lives in
the leading k x k block of a larger C-ordered array; what lies above the diagonal is
never read.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["delete_row", "lower_solve", "renew_ones", "upper_solve"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@njit(cache=True, nogil=True)
def lower_solve(factor: Matrix, k: int, right: Vector) -> Vector:
    """Return x with ``L x = right``, shape (k,)."""
    x = np.empty(k)
    for i in range(k):
        total = right[i]
        for j in range(i):
            total -= factor[i, j] * x[j]
        x[i] = total / factor[i, i]
    return x


@njit(cache=True, nogil=True)
def upper_solve(factor: Matrix, k: int, right: Vector) -> Vector:
    """Return x with ``L' x = right``, shape (k,)."""
    x = right[:k].copy()
    for i in range(k - 1, -1, -1):
        x[i] /= factor[i, i]
        for j in range(i):
            x[j] -= factor[i, j] * x[i]
    return x


@njit(cache=True, nogil=True)
def renew_ones(factor: Matrix, ones: Vector, first: int, k: int) -> None:
    """Make ``ones`` solve ``L ones = 1`` again from entry ``first`` on, in place."""
    for i in range(first, k):
        total = 1.0
        for j in range(i):
            total -= factor[i, j] * ones[j]
        ones[i] = total / factor[i, i]


@njit(cache=True, nogil=True)
def delete_row(factor: Matrix, k: int, place: int) -> None:
    """Delete the row at ``place`` from a factor of k rows, in place.

    The rows below move up with one entry too many; a rotation of two neighbouring
    columns for each of them brings the triangle back. The rotations are kept, so
    that the sweep runs along rows.
    """
    cosines = np.empty(k)
    sines = np.empty(k)
    for i in range(place, k - 1):
        for j in range(i + 2):
            factor[i, j] = factor[i + 1, j]
        for r in range(place, i):
            left, right = factor[i, r], factor[i, r + 1]
            factor[i, r] = cosines[r] * left + sines[r] * right
            factor[i, r + 1] = cosines[r] * right - sines[r] * left
        left, right = factor[i, i], factor[i, i + 1]
        length = np.hypot(left, right)
        cosines[i], sines[i] = left / length, right / length
        factor[i, i] = length
        factor[i, i + 1] = 0.0
