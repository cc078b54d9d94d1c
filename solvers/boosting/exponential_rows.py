"""Rows of the exponential surrogate: their two weights are the whole state."""

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.line import ExponentialLine
from solvers.boosting.row_passes import multiply, wrong_and_rejected
from solvers.boosting.rows import Rows, Slopes, exponents
from solvers.boosting.stumps import Pair
from solvers.boosting.surrogates import Surrogate

__all__ = ["ExponentialRows"]

Floats = NDArray[np.float64]


class ExponentialRows(Rows):
    """Rows of the exponential loss, form "sum": the two weights are the whole state."""

    tolerance = 1e-12

    def _begin(self, surrogate: Surrogate, y: Floats, weight: Floats) -> None:
        self.signed = y * weight * surrogate.errors(y)
        self.pull = weight * surrogate.pulls(y)
        self._signed_bits = self.signed.view(np.int64)
        self._pull_bits = self.pull.view(np.int64)
        self._line: tuple[Pair, ExponentialLine] | None = None

    def line(self, pair: Pair) -> Slopes:
        """Return the slopes along a pair, from the sums of its groups of rows."""
        return self._line_along(pair).slopes

    def loss_at(self, pair: Pair, eta: float) -> float:
        """Return the loss after a step."""
        line = self._line_along(pair)
        rest = self.pull_sum / self._b - line.rejected - line.accepted
        return line.value(eta) + rest

    def _line_along(self, pair: Pair) -> ExponentialLine:
        if self._line is not None and self._line[0] == pair:
            return self._line[1]
        if pair.feature < 0:
            accepted = self.pull_sum / self._b
            line = ExponentialLine(0.0, self.signed_sum, 0.0, accepted, self._b)
        else:
            wrong, rejected = wrong_and_rejected(
                self._cells.under(pair), pair.h(), -pair.r(), self.signed, self.pull
            )
            right = max(self.signed_sum - wrong, 0.0)
            line = ExponentialLine(right, wrong, rejected / self._b, 0.0, self._b)
        self._line = (pair, line)
        return line

    def step(self, pair: Pair, eta: float) -> None:
        """Multiply the weights."""
        factors = np.exp(eta * exponents(pair))
        pull_factors = np.exp(-self._b * eta * pair.r())
        self.signed_sum, self.pull_sum, bits = multiply(
            self._cells.under(pair),
            factors,
            pull_factors,
            self.signed,
            self.pull,
            self._signed_bits,
            self._pull_bits,
        )
        self._line = None
        self.loss = self.reported = self.signed_sum + self.pull_sum / self._b
        self.largest = float(np.int64(bits).view(np.float64))
