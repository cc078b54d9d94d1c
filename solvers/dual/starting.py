"""A start for the active set, near weights that solved a neighbouring problem.

The neighbour may have had another C or other costs, so a weight that was at its bound
may now lie strictly inside a longer segment, where no score holds it. It goes to the
corner that its score asks for: rows inside their segments are what the active set must
factorise.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.feasible import feasible_start
from solvers.dual.problem import DualProblem, bias_and_violation

__all__ = ["active_start"]

Floats = NDArray[np.float64]

_NEAR = 0.05
"""A score this close to its knot may hold its weight inside the segment."""


def active_start(problem: DualProblem, start: Floats | None) -> Floats:
    """Return feasible weights, few of them inside a segment without reason.

    Parameters
    ----------
    problem : DualProblem
    start : array of shape (n,) or None
        Weights to begin from, feasible or not; None begins from zero.

    Raises
    ------
    InvalidLossError, ValueError
        As ``solvers.dual.feasible.feasible_start``.
    """
    corners = problem.breakpoints
    weights = feasible_start(corners, start)
    if start is None:
        return weights
    return feasible_start(corners, _snapped(problem, weights, corners))


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
    corner = np.take_along_axis(corners, place, axis=1)[:, 0]
    return np.where(far, corner, weights)
