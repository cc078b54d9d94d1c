"""The modified mutual information as a function of two thresholds, in nats.

    I(f_-, f_+) = g(FN, TN) + g(TP, FP)
    g(x, w)     = x log( x / (pi (x + w)) ) + w log( w / ((1 - pi) (x + w)) )

``x`` and ``w`` are the joint shares of +1 and -1 on one side of a threshold and ``pi``
the share of +1. The two terms have no variable in common, so the Hessian is diagonal
and each threshold has its own optimum. ``g`` is convex, zero where a side is empty.

Source: Xu and Hu (2013), equations (6), (8) and (9), with 0 log 0 = 0.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["side_information", "side_log_ratios"]

Floats = NDArray[np.float64]


def side_information(x: Floats, w: Floats, prior: float) -> Floats:
    """Return g(x, w), elementwise; ``prior`` is pi."""
    total = x + w
    safe_x = np.where(x > 0.0, x, 1.0)
    safe_w = np.where(w > 0.0, w, 1.0)
    safe_total = np.where(total > 0.0, total, 1.0)
    return np.asarray(
        x * np.log(safe_x / (prior * safe_total))
        + w * np.log(safe_w / ((1.0 - prior) * safe_total))
    )


def side_log_ratios(x: float, w: float, prior: float) -> tuple[float, float]:
    """Return the derivatives of g with respect to x and w.

    They are log(x / (pi (x + w))) and log(w / ((1 - pi) (x + w))): the derivatives of
    the weights outside the logarithms; those of the insides cancel.
    """
    tiny = np.finfo(np.float64).tiny
    total = max(x + w, tiny)
    first = np.log(max(x, tiny) / (prior * total))
    second = np.log(max(w, tiny) / ((1.0 - prior) * total))
    return float(first), float(second)
