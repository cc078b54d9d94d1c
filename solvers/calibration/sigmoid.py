"""Platt's method: a logistic curve through scores and smoothed targets.

    min_(a, b)  sum_i w_i [ log(1 + exp(z_i)) - t_i z_i ],  z_i = a f_i + b,  a >= 0

The target of a row is what its label says about a probability,

    t_+ = (N_+ + 1) / (N_+ + 2),     t_- = 1 / (N_- + 2),

the posterior means of a uniform prior on either class, so that separable scores do not
end in probabilities 0 and 1. Sources: Platt (1999), section 2.2; the numerically safe
form of Lin, Lin and Weng (2007).
"""

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.logistic import fit_rising

__all__ = ["fit_sigmoid", "smoothed_targets"]


def smoothed_targets(
    positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one target per row, shape (n_rows,); weights have mean one."""
    n_positive = float(weights[positive].sum())
    n_negative = float(weights[~positive].sum())
    high = (n_positive + 1.0) / (n_positive + 2.0)
    low = 1.0 / (n_negative + 2.0)
    return np.where(positive, high, low)


Floats = NDArray[np.float64]


def fit_sigmoid(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats
) -> tuple[float, float]:
    """Return the slope (never negative) and the intercept of the log-odds.

    A falling curve would contradict every rule on the score; where it fits best, the
    slope is 0 and the intercept the smoothed share of +1.
    """
    targets = smoothed_targets(positive, weights)
    largest = float(np.max(np.abs(scores))) or 1.0
    scores = scores / largest
    center, scale = float(np.mean(scores)), float(np.std(scores))
    basis = ((scores - center) / (scale or 1.0))[:, np.newaxis]
    intercept, slope = fit_rising(basis, targets, weights).tolist()
    slope /= scale or 1.0
    intercept -= slope * center
    slope /= largest
    if slope > 0.0 and np.isfinite(slope) and np.isfinite(intercept):
        return slope, intercept
    share = float(np.average(targets, weights=weights))
    return 0.0, float(np.log(share / (1.0 - share)))
