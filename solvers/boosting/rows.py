"""The training rows as the descent sees them: weights, a line to search, a step."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes
from solvers.boosting.row_passes import cells_of
from solvers.boosting.stumps import CONSTANT, Pair
from solvers.boosting.surrogates import Surrogate

__all__ = ["Cells", "Rows", "Slopes", "exponents"]

Floats = NDArray[np.float64]
Slopes = Callable[[float], tuple[float, float]]
"""A step along a line -> the first two derivatives of the loss there."""


class Cells:
    """Each row's cell under a pair, kept for the pair asked for last."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self._cells = np.zeros(codes.values.shape[1], dtype=np.uint8)
        self._pair = CONSTANT

    def under(self, pair: Pair) -> NDArray[np.uint8]:
        """Return the cells, shape (n_rows,); for the constant pair any cells do."""
        if pair != self._pair and pair.feature >= 0:
            values = self._codes.values
            kind = values.dtype.type
            # One past the last byte bin is a byte too: a feature has 255 bins at most.
            low, high, missing = kind(pair.low), kind(pair.high), self._codes.missing
            cells_of(values[pair.feature], low, high, kind(missing), self._cells)
            self._pair = pair
        return self._cells


class Rows(ABC):
    """What the descent needs of the training rows; sums are over rows, not means.

    ``signed`` is y w1 and ``pull`` w2 of each row; ``signed_sum`` and ``pull_sum`` the
    sums of w1 and w2, ``largest`` the largest of them all. ``loss`` is what steps
    lower, ``reported`` the surrogate itself where ``loss`` is a smooth stand-in.

    Parameters
    ----------
    surrogate : Surrogate
    codes : Codes
    y : ndarray of shape (n_rows,), values -1 and +1
    weight : ndarray of shape (n_rows,)
    """

    tolerance: float

    def __init__(
        self, surrogate: Surrogate, codes: Codes, y: Floats, weight: Floats
    ) -> None:
        self._b = surrogate.b
        self._cells = Cells(codes)
        self.signed, self.pull = np.empty(len(y)), np.empty(len(y))
        self.loss = self.reported = 0.0
        self.signed_sum = self.pull_sum = self.largest = 0.0
        self._begin(surrogate, y, weight)
        self.step(CONSTANT, 0.0)

    @abstractmethod
    def _begin(self, surrogate: Surrogate, y: Floats, weight: Floats) -> None:
        """Make what is kept of each row besides its weights."""

    @abstractmethod
    def line(self, pair: Pair) -> Slopes:
        """Return the first two derivatives of the loss along a pair, by step."""

    @abstractmethod
    def loss_at(self, pair: Pair, eta: float) -> float:
        """Return the loss after a step along a pair."""

    @abstractmethod
    def step(self, pair: Pair, eta: float) -> None:
        """Take a step along a pair, and weigh the rows again."""


def exponents(pair: Pair) -> NDArray[np.float64]:
    """Return what each cell adds to r - y h: four for y = -1, then four for y = +1."""
    h, r = pair.h(), pair.r()
    return np.concatenate((r + h, r - h))
