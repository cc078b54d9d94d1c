"""The surrogate of a growing sum of trees on rows kept apart."""

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes, encode
from solvers.boosting.surrogates import Surrogate
from solvers.boosting.tree_descent import Tree
from solvers.boosting.tree_rows import summed_loss
from solvers.boosting.validation import Patience

__all__ = ["TreeValidation"]

Floats = NDArray[np.float64]


class TreeValidation:
    """Follows the trees on other rows.

    Parameters
    ----------
    surrogate : Surrogate
    codes : Codes
        Of the training rows.
    rows : tuple of ndarray
        X, y in {-1, +1} and weights of the rows kept apart.
    base : tuple of float
        (h, r) before the first tree.
    rounds : int
        The patience.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        codes: Codes,
        rows: tuple[Floats, Floats, Floats],
        base: tuple[float, float],
        rounds: int,
    ) -> None:
        X, y, weight = rows
        errors, pulls = weight * surrogate.errors(y), weight * surrogate.pulls(y)
        self._rows = (y, errors, pulls, weight)
        self._kind = (surrogate.b, surrogate.loss == "logistic")
        self._codes = encode(X, codes)
        self._h, self._r = np.full(len(X), base[0]), np.full(len(X), base[1])
        self.patience = Patience(self._loss(), rounds)

    def _loss(self) -> float:
        total = summed_loss(self._rows, self._h, self._r, self._kind)
        return float(total / self._rows[3].sum())

    def __call__(self, tree: Tree) -> bool:
        """Add one tree; tell whether to stop."""
        values = tree.values[tree.leaves(self._codes)]
        self._h += values[:, 0]
        self._r += values[:, 1]
        return self.patience.over(self._loss())
