"""The surrogate on rows kept apart, step by step: when to stop, and where it was best.

The surrogate is watched, not the abstention loss: the latter jumps with single rows
and picks rounds by luck on small parts.
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes, encode
from solvers.boosting.rows import Cells
from solvers.boosting.stumps import Pair
from solvers.boosting.surrogates import Surrogate
from solvers.boosting.tree_descent import Tree
from solvers.boosting.tree_rows import summed_loss

__all__ = ["Patience", "StumpValidation", "TreeValidation"]

Floats = NDArray[np.float64]
RowTerms = tuple[Floats, Floats, Floats, Floats]


class Patience:
    """Says when a loss has not fallen for a number of rounds.

    Parameters
    ----------
    loss : float
        The loss before the first round.
    rounds : int
        Rounds without a new lowest loss that are waited for.
    """

    def __init__(self, loss: float, rounds: int) -> None:
        self.path = [loss]
        self.best_round = 0
        self._rounds = rounds

    def over(self, loss: float) -> bool:
        """Note the loss after one more round; tell whether to stop."""
        self.path.append(loss)
        if loss < self.path[self.best_round]:
            self.best_round = len(self.path) - 1
        return len(self.path) - 1 - self.best_round >= self._rounds


class Validation(ABC):
    """The rows kept apart, and the pair (h, r) that a growing model gives them.

    Parameters
    ----------
    surrogate : Surrogate
    codes : Codes
        Of the training rows.
    rows : tuple of ndarray
        X, y in {-1, +1} and weights of the rows kept apart.
    rounds : int
        The patience.
    base : tuple of float, default=(0.0, 0.0)
        (h, r) before the first round.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        codes: Codes,
        rows: tuple[Floats, Floats, Floats],
        rounds: int,
        base: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        X, self._y, self._weight = rows
        self._surrogate = surrogate
        self._codes = encode(X, codes)
        self._h, self._r = np.full(len(X), base[0]), np.full(len(X), base[1])
        self.patience = Patience(self._loss(), rounds)

    @abstractmethod
    def _loss(self) -> float:
        """Return the mean surrogate at (h, r)."""


class StumpValidation(Validation):
    """Follows the descent's steps on other rows."""

    def _loss(self) -> float:
        values = self._surrogate.value(self._y, self._h, self._r)
        return float(self._weight @ values / self._weight.sum())

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self._codes)

    def __call__(self, pair: Pair, eta: float) -> bool:
        """Take one step; tell whether to stop."""
        cells = self._cells.under(pair)
        self._h += (eta * pair.h())[cells]
        self._r += (eta * pair.r())[cells]
        return self.patience.over(self._loss())


class TreeValidation(Validation):
    """Follows the trees on other rows."""

    @cached_property
    def _terms(self) -> tuple[RowTerms, tuple[float, bool]]:
        """Return what ``summed_loss`` takes of rows and surrogate."""
        y, weight, surrogate = self._y, self._weight, self._surrogate
        errors, pulls = weight * surrogate.errors(y), weight * surrogate.pulls(y)
        kind = (surrogate.b, surrogate.loss == "logistic")
        return (y, errors, pulls, weight), kind

    def _loss(self) -> float:
        rows, kind = self._terms
        total = summed_loss(rows, self._h, self._r, kind)
        return float(total / self._weight.sum())

    def __call__(self, tree: Tree) -> bool:
        """Add one tree; tell whether to stop."""
        values = tree.values[tree.leaves(self._codes)]
        self._h += values[:, 0]
        self._r += values[:, 1]
        return self.patience.over(self._loss())
