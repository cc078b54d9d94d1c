"""Limits of a mean that count what was not seen.

Units (rows, or whole groups of rows) were drawn; unit u brings an amount S and a size
m, and the figure is E[S] / E[m]. With the worst unit that could have come as one more,

    upper limit = the 1 - tail quantile of   sum G (S - t m) = 0  solved for t,
                  G standard exponentials, one a unit,

and the lower limit likewise with the best. For outcomes of 0 and 1 these are the limits
of Clopper and Pearson; with many units, those of the normal distribution. That the
limit is below the mean with probability at most ``tail``, whatever the distribution
between best and worst, is Gaffke's conjecture: proven for few cases, never refuted, and
simulated here. The tail of the sum is read off its saddlepoint, which errs by less than
half a percent of the width, to the safe side.

Sources: Gaffke (2005); Clopper and Pearson (1934); Lugannani and Rice (1980), in the
form of Barndorff-Nielsen (1986).
"""

from math import copysign, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray

__all__ = ["binomial_interval", "mean_limits"]

Floats = NDArray[np.float64]
Unit = tuple[float, float]


def binomial_interval(errors: float, trials: float, tail: float) -> tuple[float, float]:
    """Return Clopper-Pearson bounds that each fail with probability ``tail``."""
    # A process that only decides loads no scipy.
    from scipy.special import betaincinv  # noqa: PLC0415

    if trials == 0:
        return 0.0, 1.0
    right = trials - errors
    low = 0.0 if errors == 0 else float(betaincinv(errors, right + 1, tail))
    high = 1.0 if right == 0 else float(betaincinv(errors + 1, right, 1.0 - tail))
    return low, high


def mean_limits(
    amount: Floats,
    size: Floats,
    count: Floats,
    best: Unit,
    worst: Unit,
    tail: float,
) -> tuple[float, float]:
    """Return the limits of E[amount] / E[size], each missed with probability ``tail``.

    Parameters
    ----------
    amount, size : ndarray of shape (n_units,)
        What each unit brings; no size is negative, and some are positive.
    count : ndarray of shape (n_units,)
        How often each unit was drawn.
    best, worst : (amount, size)
        The units of the lowest and of the highest ratio that could have come.
    tail : float in (0, 1/2)
    """
    low = -_upper(-amount, size, count, (-best[0], best[1]), tail)
    return low, _upper(amount, size, count, worst, tail)


def _upper(
    amount: Floats, size: Floats, count: Floats, worst: Unit, tail: float
) -> float:
    from scipy.special import ndtri  # noqa: PLC0415

    seen = count > 0
    amounts = np.append(amount[seen], worst[0])
    sizes = np.append(size[seen], worst[1])
    counts = np.append(count[seen], 1.0)
    wanted = -float(ndtri(tail))
    low = float(counts @ amounts / (counts @ sizes))
    high = worst[0] / worst[1]
    if not high > low:
        return high
    spread = sqrt(counts @ (amounts - low * sizes) ** 2) / float(counts @ sizes)
    at, slope, last = low + wanted * spread, 0.0, (low, 0.0)
    for _ in range(100):
        if not low < at < high:
            at = (low + high) / 2.0
        found = _deviate(amounts - at * sizes, counts)
        if abs(found - wanted) < 1e-5 or high - low <= 1e-13 * max(abs(high), abs(low)):
            return at
        low, high = (low, at) if found > wanted else (at, high)
        step = at - last[0]
        slope = (found - last[1]) / step if step and isfinite(found) else 0.0
        last = (at, found) if isfinite(found) else last
        at = at + (wanted - found) / slope if slope > 0.0 else inf
    return at


def _deviate(excess: Floats, count: Floats) -> float:
    """Return z, so that P(sum G excess > 0) = P(normal > z), G ~ Gamma(count)."""
    lowest, highest = float(excess.min()), float(excess.max())
    if highest <= 0.0:
        return inf
    if lowest >= 0.0:
        return -inf
    # The saddlepoint maximises sum count log(1 - s excess).
    left, right, s = 1.0 / lowest, 1.0 / highest, 0.0
    for _ in range(100):
        ratio = excess / (1.0 - s * excess)
        weighted = count * ratio
        slope = float(weighted.sum())
        left, right = (left, s) if slope > 0.0 else (s, right)
        step = slope / float(weighted @ ratio)
        if abs(step) <= 1e-10 * abs(s):
            break
        s = s - step if left < s - step < right else (left + right) / 2.0
    shrunk = 1.0 - s * excess
    distance = 2.0 * float(count @ np.log(shrunk))
    if distance < 1e-10:
        return 0.0
    root = copysign(sqrt(distance), s)
    curved = s * sqrt(float(count @ (excess / shrunk) ** 2))
    return root + log(curved / root) / root
