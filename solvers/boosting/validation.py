"""The surrogate on rows kept apart, step by step: when to stop, and where it was best.

The surrogate is watched, not the abstention loss: the latter jumps with single rows
and picks rounds by luck on small parts.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes, encode
from solvers.boosting.rows import Cells
from solvers.boosting.stumps import Pair
from solvers.boosting.surrogates import Surrogate

__all__ = ["Patience", "StumpValidation"]


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


class StumpValidation:
    """Follows the descent's steps on other rows.

    Parameters
    ----------
    surrogate : Surrogate
    codes : Codes
        Of the training rows.
    rows : tuple of ndarray
        X, y in {-1, +1} and weights of the rows kept apart.
    rounds : int
        The patience.
    """

    def __init__(
        self,
        surrogate: Surrogate,
        codes: Codes,
        rows: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
        rounds: int,
    ) -> None:
        X, self._y, self._weight = rows
        self._surrogate = surrogate
        self._cells = Cells(encode(X, codes))
        self._h, self._r = np.zeros(len(X)), np.zeros(len(X))
        self.patience = Patience(self._loss(), rounds)

    def _loss(self) -> float:
        values = self._surrogate.value(self._y, self._h, self._r)
        return float(self._weight @ values / self._weight.sum())

    def __call__(self, pair: Pair, eta: float) -> bool:
        """Take one step; tell whether to stop."""
        cells = self._cells.under(pair)
        self._h += (eta * pair.h())[cells]
        self._r += (eta * pair.r())[cells]
        return self.patience.over(self._loss())
