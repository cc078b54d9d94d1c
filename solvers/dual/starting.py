"""A feasible point of the dual near weights that solved a neighbouring problem.

The neighbour may have had another C or other costs, so its weights need not lie in
the boxes, and a weight that was at its bound would lie strictly inside a longer
segment, where no score holds it. Such a weight goes to the corner that its score
asks for; the sum is then brought to zero by moving as few weights as possible.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.problem import DualProblem, bias_and_violation

__all__ = ["feasible_start"]

Floats = NDArray[np.float64]

_NEAR = 0.05
"""A score this close to its knot may hold its weight inside the segment."""


def feasible_start(problem: DualProblem, start: Floats | None) -> Floats:
    """Return weights inside their boxes with sum zero, shape (n,).

    Parameters
    ----------
    problem : DualProblem
    start : array of shape (n,) or None
        Weights to begin from, feasible or not; None begins from zero.

    Raises
    ------
    ValueError
        When ``start`` has another shape or a number that is not finite, or when no
        weights sum to zero (the losses then have no minimum in the bias).
    """
    corners = problem.breakpoints
    low, high = corners[:, 0], corners[:, -1]
    if low.sum() > 0 or high.sum() < 0:
        msg = "these losses have no minimum: all fall for ever in one direction"
        raise ValueError(msg)
    if start is None:
        return _balanced(np.clip(np.zeros(problem.n_rows), low, high), corners)
    given = np.asarray(start, dtype=np.float64)
    if given.shape != (problem.n_rows,) or not np.isfinite(given).all():
        msg = (
            f"start must hold {problem.n_rows} finite weights, got shape {given.shape}"
        )
        raise ValueError(msg)
    weights = np.clip(given, low, high)
    weights = _snapped(problem, weights, corners)
    return _balanced(weights, corners)


def _snapped(problem: DualProblem, weights: Floats, corners: Floats) -> Floats:
    """Send weights inside a segment to a corner when their score is far away."""
    scores = problem.gradient(weights)
    bias, _ = bias_and_violation(problem, weights, scores)
    scores = scores + bias
    targets = problem.losses.knots[:, ::-1]
    segment = np.clip((corners <= weights[:, None]).sum(axis=1) - 1, 0, None)
    inside = ~(corners == weights[:, None]).any(axis=1)
    held = np.minimum(segment, targets.shape[1] - 1)[:, None]
    target = np.take_along_axis(targets, held, axis=1)[:, 0]
    far = inside & (np.abs(scores - target) > _NEAR * np.maximum(1.0, np.abs(target)))
    place = (targets > scores[:, None]).sum(axis=1, keepdims=True)
    asked = np.take_along_axis(corners, place, axis=1)[:, 0]
    return np.where(far, asked, weights)


def _balanced(weights: Floats, corners: Floats) -> Floats:
    """Bring the sum to zero, weights inside a segment first, then one by one."""
    weights = weights.copy()
    inside = ~(corners == weights[:, None]).any(axis=1)
    end = corners[:, -1] if weights.sum() < 0 else corners[:, 0]
    room = end - weights
    # Longest room first among equals, so that few weights leave their corner.
    order = np.lexsort((-np.abs(room), ~inside))
    for row in order:
        missing = -weights.sum()
        if missing == 0.0 or np.sign(missing) != np.sign(end[row] - weights[row]):
            continue
        if abs(missing) < abs(end[row] - weights[row]):
            weights[row] += missing
            break
        weights[row] = end[row]
    return weights
