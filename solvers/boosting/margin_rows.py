"""Rows of any surrogate: h and r are kept and the weights computed anew each step."""

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.margin_passes import loss_along, slopes_along, weigh
from solvers.boosting.rows import Rows, Slopes
from solvers.boosting.stumps import Pair
from solvers.boosting.surrogates import Surrogate

__all__ = ["MarginRows"]

Floats = NDArray[np.float64]


class MarginRows(Rows):
    """Rows of any surrogate: h and r are kept, the weights computed anew."""

    tolerance = 1e-9

    def _begin(self, surrogate: Surrogate, y: Floats, weight: Floats) -> None:
        self._h, self._r = np.zeros(len(y)), np.zeros(len(y))
        errors = weight * surrogate.errors(y)
        pulls = weight * surrogate.pulls(y) / surrogate.b
        logistic, joined = surrogate.loss == "logistic", surrogate.form == "max"
        self._fixed = (
            (y, errors, pulls, self._h, self._r),
            (surrogate.b, logistic, joined),
        )

    def line(self, pair: Pair) -> Slopes:
        """Return the slopes along a pair; each call of them passes over the rows."""
        cells, h, r = self._cells.under(pair), pair.h(), pair.r()

        def slopes(eta: float) -> tuple[float, float]:
            first, second = slopes_along(eta, cells, h, r, *self._fixed)
            return float(first), float(second)

        return slopes

    def loss_at(self, pair: Pair, eta: float) -> float:
        """Return the loss after a step."""
        cells = self._cells.under(pair)
        return float(loss_along(eta, cells, pair.h(), pair.r(), *self._fixed))

    def step(self, pair: Pair, eta: float) -> None:
        """Move the margins and weigh the rows again."""
        cells = self._cells.under(pair)
        self._h += (eta * pair.h())[cells]
        self._r += (eta * pair.r())[cells]
        losses, sums, self.largest = weigh(*self._fixed, self.signed, self.pull)
        self.loss, self.reported = losses
        self.signed_sum, self.pull_sum = sums
