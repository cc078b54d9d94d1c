"""Rows of the logistic surrogate: the exponentials of both margins are the state."""

from math import log

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.logistic_passes import logistic_slopes, logistic_step
from solvers.boosting.rows import Rows, Slopes, exponents
from solvers.boosting.stumps import Pair
from solvers.boosting.surrogates import Surrogate

__all__ = ["LogisticRows"]

Floats = NDArray[np.float64]


class LogisticRows(Rows):
    """Rows of the logistic loss, form "sum": exp of both margins is the state."""

    tolerance = 1e-10

    def _begin(self, surrogate: Surrogate, y: Floats, weight: Floats) -> None:
        self._errors = y * weight * surrogate.errors(y) / log(2.0)
        self._pulls = weight * surrogate.pulls(y) / log(2.0)
        self._grown, self._sunk = np.ones(len(y)), np.ones(len(y))
        self._rows = (self._errors, self._pulls, self._grown, self._sunk)

    def line(self, pair: Pair) -> Slopes:
        """Return the slopes along a pair; each call of them passes over the rows."""
        cells, moves, rejected = self._cells.under(pair), exponents(pair), -pair.r()
        b = self._b

        def slopes(eta: float) -> tuple[float, float]:
            first, second, pull_first, pull_second = logistic_slopes(
                cells,
                (_exp(eta * moves), moves, _exp(b * eta * rejected), rejected),
                self._rows,
            )
            return first + pull_first, second + b * pull_second

        return slopes

    def loss_at(self, pair: Pair, eta: float) -> float:
        """Return the loss after a step."""
        cells = self._cells.under(pair)
        moved = cells + np.uint8(4) * (self._errors > 0.0)
        grown = self._grown * _exp(eta * exponents(pair))[moved]
        sunk = self._sunk * _exp(-self._b * eta * pair.r())[cells]
        first = np.abs(self._errors) @ np.log(1.0 + grown)
        return float(first + self._pulls @ np.log(1.0 + sunk) / self._b)

    def step(self, pair: Pair, eta: float) -> None:
        """Multiply the exponentials and weigh the rows again."""
        loss, pull_loss, *sums = logistic_step(
            self._cells.under(pair),
            _exp(eta * exponents(pair)),
            _exp(-self._b * eta * pair.r()),
            self._rows,
            self.signed,
            self.pull,
        )
        self.loss = self.reported = loss + pull_loss / self._b
        self.signed_sum, self.pull_sum, self.largest = sums


def _exp(exponents: Floats) -> Floats:
    # Factors and the rows' exponentials multiply without overflow.
    return np.asarray(np.exp(np.clip(exponents, -400.0, 400.0)))
