"""The distance of a row to the nearest of some reference rows.

    d(x) = min_j |x - r_j|

The nearest reference is found by one matrix product of augmented rows,
``[x, 1] . [-2 r, |r|^2]``; its distance is then summed from the differences, so that a
row equal to its nearest reference is at 0 exactly. A row's distance has the same bits
wherever it stands: ``solvers.scoring.fixed_shapes``.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.fixed_shapes import BLOCK, filled, row_dots, same_bits_everywhere

__all__ = ["NearestReference"]

Floats = NDArray[np.float64]

_BUFFER = 65536
"""Products held at once: they stay in the second-level cache."""

_NEVER = 1e300
"""Stands where columns of the product are filled up; no row is as near as that."""


class NearestReference:
    """Measure rows against reference rows.

    Parameters
    ----------
    references : ndarray of shape (n_references, n_columns)
        Finite; at least one row.
    """

    def __init__(self, references: Floats) -> None:
        n, self._depth = references.shape
        self._references = references
        self._width = filled(n)
        self._vectors = np.zeros((self._depth + 1, self._width))
        self._vectors[:-1, :n] = -2.0 * references.T
        self._vectors[-1, :n] = np.einsum("ij,ij->i", references, references)
        self._vectors[-1, n:] = _NEVER
        self._block = BLOCK if same_bits_everywhere(self._vectors) else 1

    def distances(self, X: Floats) -> Floats:
        """Return the distance of each row to its nearest reference.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Finite.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        squares = np.empty(len(X))
        step = self._block * max(1, _BUFFER // (self._width * self._block))
        for start in range(0, len(X), step):
            part = X[start : start + step]
            away = np.zeros((len(part), filled(self._depth)))
            nearest = self._references[self._nearest(part)]
            np.subtract(part, nearest, out=away[:, : self._depth])
            squares[start : start + step] = row_dots(away, away)
        return np.sqrt(squares)

    def _nearest(self, part: Floats) -> NDArray[np.intp]:
        """Return the index of the nearest reference of each row."""
        used = self._depth + 1
        count = -(-len(part) // self._block)
        rows = np.zeros((count * self._block, filled(used)))
        rows[: len(part), : self._depth] = part
        rows[: len(part), self._depth] = 1.0
        blocks = rows.reshape(count, self._block, -1)[..., :used]
        products = np.matmul(blocks, self._vectors).reshape(-1, self._width)
        return np.asarray(np.argmin(products[: len(part)], axis=1))
