"""Weights from which a solver may start: inside every box, summing to zero."""

import numpy as np
from numpy.typing import NDArray

from solvers.errors import InvalidLossError

__all__ = ["feasible_start"]

Floats = NDArray[np.float64]


def feasible_start(breakpoints: Floats, start: Floats | None) -> Floats:
    """Return ``start`` (default 0) clipped to its boxes and shifted to sum 0.

    The excess is taken from each weight in proportion to the room it has.

    Raises
    ------
    InvalidLossError
        When no weights in the boxes sum to zero: the losses then fall without end
        as the bias grows.
    """
    lower, upper = breakpoints[:, 0], breakpoints[:, -1]
    if lower.sum() > 0 or upper.sum() < 0:
        msg = "the losses are unbounded below in the bias: their slopes have one sign"
        raise InvalidLossError(msg)
    wanted = np.zeros(len(lower)) if start is None else np.asarray(start, np.float64)
    weights = np.asarray(np.clip(wanted, lower, upper))
    excess = float(weights.sum())
    # Summation noise needs no repair, and a repair would move weights off corners.
    if abs(excess) <= 1e-14 * float(np.abs(weights).sum()):
        return weights
    room = weights - lower if excess > 0 else upper - weights
    weights -= excess * room / room.sum()
    return np.asarray(np.clip(weights, lower, upper))
