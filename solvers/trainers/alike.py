"""Signs that rows belong together, where no groups are given.

Two signs are looked for in columns of numbers:

copies      more than one row in twenty equals another in every column (to a thousandth
            of its spread), and more than ten times as many as in shuffled columns
neighbours  rows that follow each other are alike: the correlation of a column with
            itself one row later is above .2 and five of its standard errors, and next
            to nothing a twentieth of the table later (in sorted rows it stays high)

For the second sign the mean of each class is taken out of its rows, since rows that are
sorted by label are alike too. Rows that are drawn one by one show neither sign. Groups
that leave no such trace are not found: a warning is a reason to ask, and no warning
proves nothing.
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
    """Return how many rows nearly equal an earlier row."""
    if not columns.shape[1]:
        return 0
    rounded = np.ascontiguousarray(np.round(columns, 3) + 0.0)
    rows = rounded.view([("", rounded.dtype)] * rounded.shape[1]).ravel()
    return len(rows) - len(np.unique(rows))


def _neighbours(columns: Floats, positive: NDArray[np.bool_]) -> bool:
    """Tell whether rows that follow each other are alike, and far ones are not."""
    residuals = columns.copy()
    for side in (False, True):
        of_class = positive == side
        if of_class.any():
            residuals[of_class] -= residuals[of_class].mean(axis=0)
    lag = max(2, len(residuals) // 20)
    near = _lagged(residuals, 1)
    # The mean of some lags: one alone may be low by chance.
    far = np.mean([_lagged(residuals, lag + more) for more in range(10)], axis=0)
    bound = max(_ALIKE, _ERRORS / np.sqrt(len(residuals)))
    return bool(((near > bound) & (far < np.minimum(near, bound) / 3.0)).any())


def _lagged(columns: Floats, rows: int) -> Floats:
    """Return the correlation of each column with itself so many rows later."""
    variance = (columns**2).mean(axis=0)
    covariance = (columns[:-rows] * columns[rows:]).mean(axis=0)
    return np.asarray(covariance / np.where(variance > 0.0, variance, 1.0))
