"""Which kind of rows serves a surrogate."""

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes
from solvers.boosting.exponential_rows import ExponentialRows
from solvers.boosting.logistic_rows import LogisticRows
from solvers.boosting.margin_rows import MarginRows
from solvers.boosting.rows import Rows
from solvers.boosting.surrogates import Surrogate

__all__ = ["make_rows"]

_STEEPEST = 20.0
"""Rows that only multiply their weights lose them where b r is in the hundreds."""


def make_rows(
    surrogate: Surrogate,
    codes: Codes,
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> Rows:
    """Return the cheapest kind of rows that serves the surrogate."""
    if surrogate.form == "max" or surrogate.b > _STEEPEST:
        return MarginRows(surrogate, codes, y, weight)
    if surrogate.loss == "logistic":
        return LogisticRows(surrogate, codes, y, weight)
    return ExponentialRows(surrogate, codes, y, weight)
