"""How uncertain any figure is: the percentile interval over resampled rows.

Rows, or whole groups of them, are drawn with replacement. Resampling knows only what
was seen: for the figures of ``decision_intervals`` take the intervals there, which hold
where errors are rare.

Source: Efron (1979), the percentile method.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solvers.metrics.intervals import Interval, tail_of

__all__ = ["bootstrap_interval"]


def bootstrap_interval(
    metric: Callable[..., float],
    *columns: ArrayLike,
    level: float = 0.95,
    repeats: int = 500,
    seed: int = 0,
    groups: ArrayLike | None = None,
    **keywords: Any,
) -> Interval:
    """Return ``metric(*columns, **keywords)`` with its interval over resampled rows.

    Parameters
    ----------
    metric : callable
        Takes the columns and returns a number. Draws on which it is undefined (an
        absent class: NaN or ValueError) are left out. Where all others agree, the rows
        say nothing about how uncertain it is, and both ends are NaN.
    *columns : array-like of shape (n_rows,)
        Resampled together.
    **keywords
        Handed to the metric as they are.
    level : float, default=0.95
    repeats : int, default=500
    seed : int, default=0
        The same seed gives the same interval.
    groups : array-like of shape (n_rows,), optional
        Rows of one group are drawn together.
    """
    tail = tail_of(level)
    arrays = [np.asarray(column) for column in columns]
    value = float(metric(*arrays, **keywords))
    generator = np.random.default_rng(seed)
    units = np.arange(len(arrays[0])) if groups is None else np.asarray(groups)
    counts = np.unique(units, return_counts=True)[1]
    rows_of = np.split(np.argsort(units, kind="stable"), np.cumsum(counts)[:-1])
    draws = np.full(repeats, np.nan)
    for k in range(repeats):
        drawn = generator.integers(0, len(rows_of), len(rows_of))
        rows = np.concatenate([rows_of[unit] for unit in drawn])
        try:
            draws[k] = metric(*(array[rows] for array in arrays), **keywords)
        except ValueError:
            continue
    known = draws[~np.isnan(draws)]
    if not known.size or known.min() == known.max():
        return Interval(value, float("nan"), float("nan"))
    low, high = np.quantile(known, [tail, 1.0 - tail])
    return Interval(value, float(low), float(high))
