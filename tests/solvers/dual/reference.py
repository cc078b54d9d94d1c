"""A dense interior-point solver for small problems, to check the others against.

Each weight is split into its segments, ``beta_i = corner_i0 + sum_m u_im`` with
``0 <= u_im <= length_im``, which turns the dual into a box-constrained QP

    min_u  1/2 beta'K beta - sum_im knot_im u_im    subject to  sum_i beta_i = 0

(the knots descend along a row, so that segments fill in order by themselves). It is
solved by an interior-point method; weights that end at a corner are then put exactly
there, and the rest is solved for once more. Nothing here is shared with the other
solvers; the cost is about thirty dense factorisations.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.problem import DualProblem, bias_and_violation
from solvers.dual.solution import DualSolution, certified
from solvers.errors import InvalidLossError
from tests.solvers.dual.interior_point import InteriorPoint, SplitProblem, newton_step

__all__ = ["reference"]

Floats = NDArray[np.float64]

_EXACT = 1e-14
_STEPS = 200


def reference(problem: DualProblem, tolerance: float = 1e-3) -> DualSolution:
    """Solve a small dual by a dense interior-point method, down to rounding.

    Parameters
    ----------
    problem : DualProblem
        The kernel must be positive semi-definite.
    tolerance : float
        Converged means a relative gap below this.

    Raises
    ------
    InvalidLossError
        When no weights sum to zero.
    """
    corners = problem.breakpoints
    if corners[:, 0].sum() > 0 or corners[:, -1].sum() < 0:
        msg = "the losses are unbounded below in the bias: their slopes have one sign"
        raise InvalidLossError(msg)
    split = _split(problem)
    state = InteriorPoint(
        u=split.length / 2,
        low=np.ones(len(split.row)),
        high=np.ones(len(split.row)),
        bias=0.0,
    )
    steps = 0
    while steps < _STEPS and len(split.row) and state.gap(split) > _EXACT:
        following = newton_step(split, state)
        if following is None:
            break
        state, steps = following, steps + 1
    return _finished(problem, split, state, steps, tolerance)


def _split(problem: DualProblem) -> SplitProblem:
    corners = problem.breakpoints
    length = np.diff(corners, axis=1)
    row, column = np.nonzero(length > 0)
    return SplitProblem(
        kernel=problem.kernel_rows.matrix(),
        row=row,
        length=length[row, column],
        knot=problem.losses.knots[:, ::-1][row, column],
        base=corners[:, 0],
    )


def _finished(
    problem: DualProblem,
    split: SplitProblem,
    state: InteriorPoint,
    steps: int,
    tolerance: float,
) -> DualSolution:
    """Choose the better of the raw point and the one with weights on corners."""
    found = []
    for raw in (_cornered(split, state), split.weights(state.u)):
        weights = _on_corners(problem.breakpoints, raw)
        scores = problem.gradient(weights)
        middle, _ = bias_and_violation(problem, weights, scores)
        _, bias = min(
            (problem.primal(weights, b, scores), b) for b in (middle, state.bias)
        )
        primal, dual = problem.objectives(weights, bias, scores)
        balanced = abs(weights.sum()) <= 1e-9 * (1.0 + np.abs(weights).sum())
        if balanced and np.isfinite(primal) and np.isfinite(dual):
            converged = certified(primal, dual, tolerance)
            found.append(
                DualSolution(weights, bias, steps, converged, "reference", primal, dual)
            )
    if not found:
        msg = (
            "the interior-point steps broke down; is the kernel positive semi-definite?"
        )
        raise ValueError(msg)
    return min(found, key=lambda solution: abs(solution.gap))


def _on_corners(corners: Floats, weights: Floats) -> Floats:
    """Put weights on a corner that they miss by rounding only, and into their box."""
    distance = np.abs(corners - weights[:, None])
    nearest = np.argmin(distance, axis=1)[:, None]
    corner = np.take_along_axis(corners, nearest, axis=1)[:, 0]
    close = np.take_along_axis(distance, nearest, axis=1)[:, 0]
    rounding = 1e-12 * np.abs(corners).max(axis=1)
    snapped = np.where(close <= rounding, corner, weights)
    return np.clip(snapped, corners[:, 0], corners[:, -1])


def _cornered(split: SplitProblem, state: InteriorPoint) -> Floats:
    """Put segments that are empty or full exactly there and solve for the others."""
    room = split.length - state.u
    empty = state.u * state.high.max(initial=1.0) < state.low * split.length.max(
        initial=1.0
    )
    u = np.where(empty & (state.u < room), 0.0, state.u)
    full = room * state.low.max(initial=1.0) < state.high * split.length.max(
        initial=1.0
    )
    u = np.where(full & (room < state.u), split.length, u)
    inside = (u > 0) & (u < split.length)
    weights = split.weights(u)
    rows, first = np.unique(split.row[inside], return_index=True)
    if len(rows) == 0:
        return weights
    knots = split.knot[inside][first]
    size = len(rows)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = split.kernel[np.ix_(rows, rows)]
    system[size, size] = 0.0
    for _ in range(2):
        residual = knots - (split.kernel @ weights)[rows]
        right = np.append(residual, -weights.sum())
        weights[rows] += np.linalg.lstsq(system, right, rcond=1e-13)[0][:size]
    return weights
