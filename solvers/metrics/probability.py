"""How good probabilities of +1 are.

    Brier         mean of (p - t)^2
    calibration   sum over bins b of  n_b / n  |mean p - share of +1|
    divergence    mean of  q log(q / p) + (1 - q) log((1 - q) / (1 - p))

Bins hold equally many rows, or equal weight (not equally wide intervals, most of which
are empty on skewed probabilities); tied probabilities are never separated. A figure of
no rows is undefined: NaN.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.inputs import as_positive, as_scores, as_weights

__all__ = [
    "Reliability",
    "brier_score",
    "calibration_error",
    "mean_binary_divergence",
    "reliability",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """What was claimed and what was found, bin by bin of probability, ascending.

    Attributes
    ----------
    claimed : ndarray of shape (n_bins,)
        Mean probability of +1.
    found : ndarray of shape (n_bins,)
        Share of +1.
    mass : ndarray of shape (n_bins,)
        Rows in the bin, or their weight; never zero.
    """

    claimed: Floats
    found: Floats
    mass: Floats


def brier_score(
    y_true: ArrayLike,
    probability: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the mean squared distance of the probability from the truth.

    Parameters
    ----------
    y_true, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    probability : array-like of shape (n_rows,), values in [0, 1]
    """
    truth = as_positive(y_true, positive)
    p = _as_probability(probability, len(truth))
    weights = as_weights(sample_weight, len(truth))
    return _mean_over((p - truth) ** 2 * weights, weights)


def calibration_error(
    y_true: ArrayLike,
    probability: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
    bins: int = 10,
) -> float:
    """Return the mean distance between probability and share of +1 over bins.

    Parameters
    ----------
    y_true, probability, sample_weight, positive, bins
        As in ``reliability``.
    """
    curve = reliability(
        y_true, probability, sample_weight, positive=positive, bins=bins
    )
    return _mean_over(np.abs(curve.claimed - curve.found) * curve.mass, curve.mass)


def reliability(
    y_true: ArrayLike,
    probability: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
    bins: int = 10,
) -> Reliability:
    """Return the probability and the share of +1 in bins of probability.

    Parameters
    ----------
    y_true, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    probability : array-like of shape (n_rows,), values in [0, 1]
    bins : int, default=10
        Number of bins of (nearly) equally many rows; empty ones are left out.
    """
    if bins < 1:
        msg = f"bins must be at least 1, got {bins}"
        raise ValueError(msg)
    truth = as_positive(y_true, positive)
    p = _as_probability(probability, len(truth))
    weights = as_weights(sample_weight, len(truth))
    group = equal_bins(p, weights, bins)
    mass = np.bincount(group, weights).astype(np.float64)
    held = mass > 0.0
    claimed = np.bincount(group, weights * p)[held] / mass[held]
    found = np.bincount(group, weights * truth)[held] / mass[held]
    return Reliability(claimed, found, mass[held])


def equal_bins(p: Floats, weights: Floats, bins: int) -> NDArray[np.intp]:
    """Return each row's bin: the one in which the middle of its tie's weight lies."""
    values, tie = np.unique(p, return_inverse=True)
    mass = np.bincount(tie, weights, minlength=len(values))
    total = float(mass.sum())
    if not total > 0.0:
        return np.zeros(len(p), dtype=np.intp)
    middle = (np.cumsum(mass) - mass / 2.0) / total
    # A middle on an edge belongs to the lower bin, on whichever side rounding put it.
    bin_of = np.ceil(np.round(middle * bins, 9)).astype(np.intp)
    return np.asarray(bin_of[tie])


def _mean_over(amounts: Floats, weights: Floats) -> float:
    """Return the sum of amounts over that of weights, NaN without any."""
    total = float(weights.sum())
    return float(amounts.sum()) / total if total > 0.0 else float("nan")


def mean_binary_divergence(truth: ArrayLike, estimate: ArrayLike) -> float:
    """Return the mean Kullback-Leibler divergence of estimated from true probability.

    Parameters
    ----------
    truth, estimate : array-like of shape (n_rows,), values in [0, 1]
        Infinite where the estimate rules out what the truth allows.
    """
    q = _as_probability(truth, len(np.asarray(truth)))
    p = _as_probability(estimate, len(q))
    divergence = _relative(q, p) + _relative(1.0 - q, 1.0 - p)
    return _mean_over(divergence, np.ones(len(q)))


def _relative(q: Floats, p: Floats) -> Floats:
    possible = q > 0.0
    safe = np.where(possible & (p > 0.0), p, 1.0)
    finite = q * np.log(np.where(possible, q, 1.0) / safe)
    return np.where(possible & (p <= 0.0), np.inf, np.where(possible, finite, 0.0))


def _as_probability(probability: ArrayLike, n_rows: int) -> Floats:
    p = as_scores(probability, n_rows)
    if ((p < 0.0) | (p > 1.0)).any():
        msg = "probabilities must lie in [0, 1]"
        raise ValueError(msg)
    return p
