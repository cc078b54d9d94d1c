"""Exact and finite-sample bounds on an error rate and on a mean loss.

    p(e, m, E)   = P( Bin(m, E) <= e )                                 exact
    p(R, n, a)   = min( exp(-n h(min(R, a), a)), 2 P( Bin(n, a) <= ceil(n R) ) )

Each is a p-value for "the rate is above E": at most delta with probability at most
delta when it is. The first is the Clopper-Pearson bound read as a test; the second
holds for any losses in [0, 1] with mean a; h is the relative entropy of two coins. Its
first part is Hoeffding's. Its second: let every loss be a coin that shows 1 with that
probability. Of all coins Bin(n, a) show 1, and given the losses, with probability 1/2
at least no more than ceil(n R), since the median of a sum of coins is at most the next
whole number above its mean. (Bentkus has e in place of 2.) Sources: Clopper and Pearson
(1934); Hoeffding (1963); Jogdeo and Samuels (1968) on that median; Bates et al. (2021).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.rules.base import as_number

__all__ = ["binomial_tail", "mean_loss_tail", "most_errors", "rows_to_certify"]

Floats = NDArray[np.float64]


def binomial_tail(errors: ArrayLike, trials: ArrayLike, rate: ArrayLike) -> Floats:
    """Return P(Bin(trials, rate) <= errors), elementwise; 1 where there is no trial.

    By the incomplete beta function, which also continues it between whole counts.
    """
    # Fitting happens in the worker; a process that only decides loads no scipy.
    from scipy.special import betainc  # noqa: PLC0415

    m = np.asarray(trials, dtype=np.float64)
    e = np.asarray(errors, dtype=np.float64)
    certain = m <= e
    right = np.where(certain, 1.0, m - e)
    return np.asarray(
        np.where(certain, 1.0, betainc(right, e + 1.0, 1.0 - np.asarray(rate)))
    )


def mean_loss_tail(mean: ArrayLike, rows: ArrayLike, limit: float) -> Floats:
    """Return the p-value of "the mean of losses in [0, 1] is above limit"."""
    observed, n = np.broadcast_arrays(
        np.asarray(mean, dtype=np.float64), np.asarray(rows, dtype=np.float64)
    )
    if not 0.0 < limit < 1.0:
        return np.full(observed.shape, 0.0 if limit >= 1.0 else 1.0)
    low = np.clip(np.minimum(observed, limit), 0.0, 1.0)
    hoeffding = np.exp(-n * _relative_entropy(low, limit))
    losses = np.ceil(np.round(n * observed, 9))
    coins = 2.0 * binomial_tail(losses, n, limit)
    return np.asarray(np.minimum(1.0, np.minimum(hoeffding, coins)))


def most_errors(trials: ArrayLike, limit: float, delta: float) -> Floats:
    """Return the largest count of errors that passes at level delta; -1 for none."""
    from scipy.special import bdtrik  # noqa: PLC0415

    n = np.asarray(trials, dtype=np.float64)
    most = np.floor(np.nan_to_num(bdtrik(delta, n, limit), nan=-1.0))
    # The inverse is known to some digits only.
    for _ in range(2):
        most = np.where(binomial_tail(most + 1.0, n, limit) <= delta, most + 1.0, most)
        passes = (most < 0.0) | (binomial_tail(most, n, limit) <= delta)
        most = np.where(passes, most, most - 1.0)
    return np.asarray(np.maximum(most, -1.0))


def chernoff_rows(rate: Floats, limit: float, tail: float) -> Floats:
    """Return roughly how many trials at these error rates would certify the limit."""
    distance = _relative_entropy(np.minimum(rate, limit), limit)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(1.0 / tail) / distance)


def rows_to_certify(rate: float, limit: float, tail: float) -> float:
    """Return about how many trials at an error rate would certify the limit.

    Infinite where the rate is not below the limit.
    """
    if not rate < limit:
        return np.inf
    trials = np.unique(np.geomspace(1, 1e8, 2000).astype(np.int64))
    passes = binomial_tail(np.ceil(rate * trials), trials, limit) <= tail
    return float(trials[int(np.argmax(passes))]) if passes.any() else np.inf


def _relative_entropy(a: Floats, b: float) -> Floats:
    first = np.where(a > 0.0, a * np.log(np.where(a > 0.0, a, 1.0) / b), 0.0)
    rest = 1.0 - a
    other = rest * np.log(np.where(rest > 0.0, rest, 1.0) / (1.0 - b))
    return np.asarray(first + np.where(rest > 0.0, other, 0.0))


def as_confidence(confidence: float | None) -> float:
    """Return a confidence strictly between 0 and 1, or raise ValueError."""
    given = as_number("confidence", confidence)
    if not 0.0 < given < 1.0:
        msg = f"confidence must lie strictly between 0 and 1, got {confidence!r}"
        raise ValueError(msg)
    return given
