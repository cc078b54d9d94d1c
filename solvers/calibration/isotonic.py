"""The non-decreasing curve closest to the smoothed targets: isotonic regression.

    min  sum_i w_i (p_i - t_i)^2     subject to  p_i <= p_j where f_i <= f_j

Equal scores are pooled first. Between blocks the curve is linear, outside it is
constant. Sources: Zadrozny and Elkan (2002), with the targets of Platt (1999), so that
no probability is 0 or 1.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.targets import smoothed_targets

__all__ = ["fit_isotonic"]

Floats = NDArray[np.float64]


def fit_isotonic(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats
) -> tuple[Floats, Floats]:
    """Return knots (ascending scores) and the curve's heights there."""
    # Fitting happens in the worker; a process that only decides loads no scipy.
    from scipy.optimize import isotonic_regression  # noqa: PLC0415

    targets = smoothed_targets(positive, weights)
    values, group = np.unique(scores, return_inverse=True)
    mass = np.bincount(group, weights)
    mean = np.bincount(group, weights * targets) / mass
    solution = isotonic_regression(mean, weights=mass)
    first = solution.blocks[:-1]
    last = solution.blocks[1:] - 1
    # A block is flat: its two ends describe it (one where it is a single score).
    ends = np.union1d(first, last)
    knots, heights = values[ends], solution.x[ends]
    # Knots closer than this would make an infinite slope of the interpolation.
    gap = 1e-12 * max(float(np.ptp(values)), np.finfo(np.float64).tiny * 1e15)
    wide = np.concatenate(([True], np.diff(knots) > gap))
    return knots[wide], heights[wide]
