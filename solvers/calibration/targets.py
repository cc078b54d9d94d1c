"""Platt's smoothed targets: what a label says about a probability.

    t_+ = (N_+ + 1) / (N_+ + 2),     t_- = 1 / (N_- + 2)

the posterior means of a uniform prior on either class, so that separable scores do not
end in probabilities 0 and 1. Source: Platt (1999), section 2.2.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["smoothed_targets"]


def smoothed_targets(
    positive: NDArray[np.bool_], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one target per row, shape (n_rows,); weights have mean one."""
    n_positive = float(weights[positive].sum())
    n_negative = float(weights[~positive].sum())
    high = (n_positive + 1.0) / (n_positive + 2.0)
    low = 1.0 / (n_negative + 2.0)
    return np.where(positive, high, low)
