"""Weights from which decomposition may start: inside every box, summing to zero."""

import numpy as np
from numpy.typing import NDArray

from solvers.errors import InvalidLossError

__all__ = ["feasible_start"]

Floats = NDArray[np.float64]

# Weights this near to a breakpoint, as a share of the box, were meant to be on it.
_NEAR = 1e-9


def feasible_start(breakpoints: Floats, start: Floats | None) -> Floats:
    """Return ``start`` (default 0) moved to the nearest weights that are feasible.

    Weights are clipped to their boxes and put on a breakpoint that they almost touch.
    What the sum then lacks is made up by as few weights as possible, those inside a
    segment first.

    Parameters
    ----------
    breakpoints : array of shape (n, K + 1)
    start : array of shape (n,), optional

    Raises
    ------
    InvalidLossError
        When no weights in the boxes sum to zero: the losses then fall without end
        as the bias grows.
    ValueError
        When ``start`` has another shape or is not finite.
    """
    lower, upper = breakpoints[:, 0], breakpoints[:, -1]
    if lower.sum() > 0 or upper.sum() < 0:
        msg = "the losses are unbounded below in the bias: their slopes have one sign"
        raise InvalidLossError(msg)
    wanted = np.zeros(len(lower)) if start is None else np.asarray(start, np.float64)
    if wanted.shape != lower.shape or not np.isfinite(wanted).all():
        msg = f"start must hold {len(lower)} finite weights, got shape {wanted.shape}"
        raise ValueError(msg)
    weights = np.asarray(np.clip(wanted, lower, upper))
    distance = np.abs(breakpoints - weights[:, np.newaxis])
    nearest = distance.argmin(axis=1)[:, np.newaxis]
    away = np.take_along_axis(distance, nearest, axis=1)[:, 0]
    corner = np.take_along_axis(breakpoints, nearest, axis=1)[:, 0]
    touching = away <= _NEAR * (upper - lower)
    return _balanced(np.where(touching, corner, weights), ~touching, lower, upper)


def _balanced(
    weights: Floats, inside: NDArray[np.bool_], lower: Floats, upper: Floats
) -> Floats:
    excess = float(weights.sum())
    # What only rounding left needs no repair.
    if abs(excess) <= 1e-14 * float(np.abs(weights).sum()):
        return weights
    end = lower if excess > 0 else upper
    room = np.abs(weights - end)
    order = np.lexsort((-room, ~inside))
    taken = np.minimum(np.cumsum(room[order]), abs(excess))
    share = np.diff(taken, prepend=0.0)
    balanced = weights.copy()
    balanced[order] -= np.sign(excess) * share
    full = order[share == room[order]]
    balanced[full] = end[full]
    return np.asarray(np.clip(balanced, lower, upper))
