"""How uncertain a figure is: percentile intervals over resampled rows.

Rows are drawn with replacement. What is read off the 2 x 3 table needs the six counts
only, and drawing rows is drawing those counts from a multinomial distribution, so all
table rates together cost as much as a thousand small tables.

Source: Efron (1979), the percentile method.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.confusion import Prices, of_table, price_table
from solvers.metrics.information import normalized_of_table

__all__ = ["Interval", "bootstrap_interval", "table_intervals"]

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A figure with its bootstrap interval.

    Attributes
    ----------
    value, low, high : float
        The figure on the rows as they are, and the ends of its interval.
    """

    value: float
    low: float
    high: float


def bootstrap_interval(
    metric: Callable[..., float],
    *columns: ArrayLike,
    level: float = 0.95,
    repeats: int = 500,
    seed: int = 0,
    **keywords: Any,
) -> Interval:
    """Return ``metric(*columns, **keywords)`` with its interval over resampled rows.

    Parameters
    ----------
    metric : callable
        Takes the columns and returns a number. Draws on which it is undefined (an
        absent class: NaN or ValueError) are left out.
    *columns : array-like of shape (n_rows,)
        Resampled together.
    **keywords
        Handed to the metric as they are.
    level : float, default=0.95
    repeats : int, default=500
    seed : int, default=0
        The same seed gives the same interval.
    """
    arrays = [np.asarray(column) for column in columns]
    value = float(metric(*arrays, **keywords))
    generator = np.random.default_rng(seed)
    n_rows = len(arrays[0])
    draws = np.full(repeats, np.nan)
    for k in range(repeats):
        rows = generator.integers(0, n_rows, n_rows)
        try:
            draws[k] = metric(*(array[rows] for array in arrays), **keywords)
        except ValueError:
            continue
    return Interval(value, *_quantiles(draws, level))


def table_intervals(
    table: ArrayLike,
    costs: Prices | Mapping[str, float] | None = None,
    *,
    level: float = 0.95,
    repeats: int = 2000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Return every figure of a 2 x 3 table with its bootstrap interval.

    Parameters
    ----------
    table : array-like of shape (2, 3)
        Row counts, as ``augmented_confusion_matrix`` returns them without weights.
    costs : CostMatrix or mapping, optional
        Adds "expected_cost".
    level, repeats, seed
        As in ``bootstrap_interval``.
    """
    counts = np.asarray(table, dtype=np.float64)
    total = round(float(counts.sum()))
    if counts.shape != (2, 3) or total < 1 or not np.allclose(counts, counts.round()):
        msg = "table must be 2 x 3 row counts (no weights) with at least one row"
        raise ValueError(msg)
    generator = np.random.default_rng(seed)
    share = counts.ravel() / counts.sum()
    draws = generator.multinomial(total, share, size=repeats).reshape(-1, 2, 3)
    here, there = _figures(counts, costs), _figures(draws.astype(np.float64), costs)
    return {
        name: Interval(float(here[name]), *_quantiles(there[name], level))
        for name in here
    }


def _figures(
    tables: Floats, costs: Prices | Mapping[str, float] | None
) -> dict[str, Floats]:
    figures = of_table(tables)
    figures["normalized_mutual_information"] = normalized_of_table(tables)
    if costs is not None:
        spent = (tables * price_table(costs)).sum(axis=(-1, -2))
        figures["expected_cost"] = spent / tables.sum(axis=(-1, -2))
    return figures


def _quantiles(draws: Floats, level: float) -> tuple[float, float]:
    if not 0.0 < level < 1.0:
        msg = f"level must lie strictly between 0 and 1, got {level!r}"
        raise ValueError(msg)
    known = draws[~np.isnan(draws)]
    if not known.size:
        return float("nan"), float("nan")
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(known, [tail, 1.0 - tail])
    return float(low), float(high)
