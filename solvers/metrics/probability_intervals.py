"""Intervals of the Brier score and of the calibration error.

The Brier score is a mean of squares in [0, 1]: its limits are those of ``mean_limits``.
The calibration error is a sum of absolute values, E = sum |D_b| over bins: chance alone
makes it positive, so that resampling it would never find a well calibrated model. Its
ends are those multiples of what was found, t D / E, from which chance leads to a figure
as large (lower end) or as small (upper end) as E in more than a tail of all draws; the
chance is normal, with the covariance of the bins over rows or groups. The upper end is
at least what the distance of the mean probability from the share of +1 may be, a lower
bound of E that counts what was not seen.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.metrics.draws import rows_of_groups, units_alike
from solvers.metrics.intervals import Interval, tail_of
from solvers.metrics.mean_limits import mean_limits
from solvers.metrics.probability import equal_bins

__all__ = ["probability_intervals"]

Floats = NDArray[np.float64]

_DRAWS = 1000


def probability_intervals(
    share: Floats,
    probability: Floats,
    weight: Floats,
    groups: NDArray[np.int64] | None = None,
    *,
    level: float = 0.95,
    bins: int = 10,
) -> dict[str, Interval]:
    """Return "brier_score" and "calibration_error" with their intervals.

    Parameters
    ----------
    share : ndarray of shape (n_rows,)
        Probability of +1: 1 or 0 for a label.
    probability : ndarray of shape (n_rows,), values in [0, 1]
        What was said of each row.
    weight : ndarray of shape (n_rows,), positive
    groups : ndarray of shape (n_rows,), optional
        What rows were drawn together.
    level : float, default=0.95
    bins : int, default=10
        As for ``calibration_error``.
    """
    tail = tail_of(level)
    one = float(weight @ weight / weight.sum()) * rows_of_groups(groups)
    squares = share * (probability - 1.0) ** 2 + (1.0 - share) * probability**2
    gap = probability - share
    brier = _mean(squares, weight, groups, 0.0, one, tail)
    distance = _mean(gap, weight, groups, -1.0, one, tail)
    bin_of = equal_bins(probability, weight, bins)
    n_bins = int(bin_of.max()) + 1
    unit = np.arange(len(share)) if groups is None else groups
    of_row = np.unique(unit, return_inverse=True)[1]
    n_units = int(of_row.max()) + 1
    sums = np.bincount(
        of_row * n_bins + bin_of, weight * gap / weight.sum(), n_units * n_bins
    )
    found = _calibration(
        sums.reshape(n_units, n_bins).astype(np.float64),
        one / float(weight.sum()),
        tail,
    )
    reach = max(found.high, -distance.low, distance.high)
    return {"brier_score": brier, "calibration_error": found._replace(high=reach)}


def _mean(
    values: Floats,
    weight: Floats,
    groups: NDArray[np.int64] | None,
    lowest: float,
    one: float,
    tail: float,
) -> Interval:
    """Return the mean of values between ``lowest`` and 1 with its limits."""
    unit, count = units_alike(groups, values, weight)
    amount, size = (
        np.bincount(unit, part) / count for part in (weight * values, weight)
    )
    ends = mean_limits(amount, size, count, (lowest * one, one), (one, one), tail)
    return Interval(float(np.average(values, weights=weight)), *ends)


def _calibration(units: Floats, one: float, tail: float) -> Interval:
    """Return sum |D| with its ends; ``units`` holds what each adds to each bin."""
    distance = units.sum(axis=0)
    value = float(np.abs(distance).sum())
    toward = distance / value if value > 0.0 else distance
    covariance = units.T @ units

    def crossing(share: float, chance: Floats, high: float) -> float:
        """Return up to which t more than a share of the draws fall below E."""
        low = 0.0
        for _ in range(40):
            at = (low + high) / 2.0
            below = np.mean(np.abs(at * toward + chance).sum(axis=1) < value)
            low, high = (at, high) if below > share else (low, at)
        return low

    # A bin may lack the errors that it could have: half a unit more, for the lower end.
    more = covariance + np.eye(len(distance)) * (one / 2.0) ** 2
    low = crossing(1.0 - tail, _chance(more), value)
    widest = value + 6.0 * float(np.sqrt(np.diag(covariance)).sum())
    high = crossing(tail, _chance(covariance), widest)
    return Interval(value, min(low, value), max(high, value))


def _chance(covariance: Floats) -> Floats:
    values, vectors = np.linalg.eigh(covariance)
    normal = np.random.default_rng(0).normal(size=(_DRAWS, len(values)))
    return np.asarray(normal @ (vectors * np.sqrt(np.maximum(values, 0.0))).T)
