"""Rows that look as if they hung together, where nobody says so.

Two signs, both over columns of numbers that are not the label's doing (the mean of the
row's class is taken out):

copies      more than one row in twenty equals another in every column (to a thousandth
            of its spread), and ten times as many do as where each column is shuffled
neighbours  rows that follow each other are alike: the correlation of a column with
            itself one row later is above .2 and five of its standard errors, and next
            to nothing a twentieth of the table later, as it is not in sorted rows

One drawn row a person would show neither. Groups that leave no such trace are not
found: a warning is a reason to ask, and silence proves nothing.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["hang_together"]

Floats = NDArray[np.float64]

_FEWEST = 60
_COPIES, _TIMES = 0.05, 10.0
_ALIKE, _ERRORS = 0.2, 5.0
_MOST_COLUMNS = 200
_WAY_OUT = (
    "a promise takes rows for separate draws; if some belong together (one person, one"
    " batch, one day), name what they share as groups"
)


def hang_together(X: Any, signs: NDArray[Any]) -> str | None:
    """Return a warning where rows look as if they came in groups, or None.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
        In the order of the table. What is no dense table of numbers is not looked at.
    signs : ndarray of shape (n_rows,)
        Above 0 for +1.
    """
    try:
        matrix = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if matrix.ndim != 2 or len(matrix) < _FEWEST:
        return None
    columns = _standardised(matrix[:, :_MOST_COLUMNS])
    copies = _copies(columns)
    if copies > _COPIES * len(matrix):
        random = np.random.default_rng(0)
        if copies > _TIMES * _copies(random.permuted(columns, axis=0)):
            return (
                f"{copies} of {len(matrix)} rows equal another one in every column:"
                f" {_WAY_OUT}"
            )
    if _neighbours(columns, np.asarray(signs) > 0):
        return f"rows that follow each other are alike: {_WAY_OUT}"
    return None


def _standardised(matrix: Floats) -> Floats:
    """Return the columns that vary, with spread 1 and nothing missing."""
    known = np.isfinite(matrix)
    if not known.any():
        return np.empty((len(matrix), 0))
    largest = np.abs(np.where(known, matrix, 0.0)).max(axis=0)
    scaled = np.where(known, matrix, 0.0) / np.where(largest > 0.0, largest, 1.0)
    middle = scaled.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    filled = np.where(known, scaled, middle) - middle
    spread = filled.std(axis=0)
    varies = spread > 1e-12
    return np.asarray(filled[:, varies] / spread[varies])


def _copies(columns: Floats) -> int:
    """Return how many rows equal an earlier row nearly."""
    if not columns.shape[1]:
        return 0
    rounded = np.ascontiguousarray(np.round(columns, 3) + 0.0)
    rows = rounded.view([("", rounded.dtype)] * rounded.shape[1]).ravel()
    return len(rows) - len(np.unique(rows))


def _neighbours(columns: Floats, positive: NDArray[np.bool_]) -> bool:
    left = columns.copy()
    for side in (False, True):
        of_class = positive == side
        if of_class.any():
            left[of_class] -= left[of_class].mean(axis=0)
    lag = max(2, len(left) // 20)
    one = _lagged(left, 1)
    # The mean of some lags: one alone may be low by chance.
    far = np.mean([_lagged(left, lag + more) for more in range(10)], axis=0)
    bound = max(_ALIKE, _ERRORS / np.sqrt(len(left)))
    return bool(((one > bound) & (far < np.minimum(one, bound) / 3.0)).any())


def _lagged(columns: Floats, rows: int) -> Floats:
    """Return the correlation of each column with itself so many rows later."""
    early, late = columns[:-rows], columns[rows:]
    total = (columns**2).mean(axis=0)
    together = (early * late).mean(axis=0)
    return np.asarray(together / np.where(total > 0.0, total, 1.0))
