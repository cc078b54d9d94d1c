"""An active-set solver of the dual, exact up to rounding.

Each weight is either at a breakpoint of its term or free inside a segment, where its
score must equal the segment's knot. Free rows are kept at their knots by a factored
linear system; then one row at a time whose score is outside the interval that its
weight allows is moved, the free ones answering, until its score is right or a weight
meets the end of its segment. The objective falls with every move of positive length.
Source: Grandvalet et al. (2008), Algorithm 1 and equations 12 and 13, here for any
number of knots.

Moves of length zero cannot go on for ever: after a run of them both choices (who
moves, who leaves) take the lowest row number, which excludes a cycle (Bland's rule).
A row whose kernel column depends on the free ones, a duplicate for example, never
enters the factor; its weight moves along the flat direction to the next end.
"""

from time import monotonic

import numpy as np
from numpy.typing import NDArray

from solvers.dual.problem import DualProblem, bias_and_violation
from solvers.dual.registry import Progress, register, report
from solvers.dual.solution import DualSolution, certified
from solvers.dual.starting import active_start
from solvers.dual.working_point import WorkingPoint
from solvers.threads import one_blas_thread

__all__ = ["active_set"]

MAX_ROWS = 12_000
"""The solver holds the whole kernel matrix in float64: 1.2 GB at this size."""

_BATCH = 24
_PATIENCE = 30
_REPORT_S = 0.2


@register("active-set")
def active_set(
    problem: DualProblem,
    *,
    tolerance: float = 1e-3,
    max_iterations: int = -1,
    cache_mb: float = 200.0,  # noqa: ARG001 - one signature for all solvers
    start: NDArray[np.float64] | None = None,
    progress: Progress | None = None,
) -> DualSolution:
    """Solve the dual exactly; fast when few weights end inside a segment.

    The parameters are those of ``solvers.dual.solve.solve``. A step is a row moved.
    ``tolerance`` says when a run counts as converged; the solver itself goes on to
    machine precision. The matrix is held whole, whatever ``cache_mb``.

    Raises
    ------
    ValueError
        When there are more than ``MAX_ROWS`` rows, ``start`` does not fit, or no
        minimum exists.
    """
    if problem.n_rows > MAX_ROWS:
        msg = (
            f"active-set holds the whole kernel matrix and takes up to {MAX_ROWS}"
            f' rows, got {problem.n_rows}; use solver="decomposition"'
        )
        raise ValueError(msg)
    with one_blas_thread():
        kernel = problem.kernel_rows.matrix()
        point = WorkingPoint(kernel, problem.losses, active_start(problem, start))
        moved = _walk(point, max_iterations, progress)
        scores = problem.gradient(point.weights)
        bias, violation = bias_and_violation(problem, point.weights, scores)
        primal, dual = problem.objectives(point.weights, bias, scores)
    # Large weights on a large kernel leave scores that are mostly rounding: then the
    # conditions cannot be met more closely, and the gap says whether that is enough.
    met = violation <= max(tolerance, point.rounding())
    return DualSolution(
        weights=point.weights,
        bias=bias,
        iterations=moved,
        converged=met and certified(primal, dual, tolerance),
        solver="active-set",
        primal=primal,
        dual=dual,
    )


def _walk(point: WorkingPoint, limit: int, progress: Progress | None) -> int:
    """Move rows until none is outside its interval; return how many were moved."""
    moved, idle, fresh = 0, 0, False
    widest, closest, reported = 0.0, np.inf, monotonic()
    while limit < 0 or moved < limit:
        point.settle()
        violation = point.violations()
        worst = float(np.abs(violation).max(initial=0.0))
        if worst <= point.rounding():
            if fresh:
                return moved
            # Scores drift while weights were large on the way: look once more.
            point.renew()
            fresh = True
            continue
        fresh = False
        widest, closest = max(widest, worst), min(closest, worst)
        if monotonic() - reported >= _REPORT_S:
            reported = monotonic()
            report(progress, _closeness(closest, widest), f"violation {worst:.2g}")
        batch = _chosen(violation, point.rounding(), bland=idle > _PATIENCE)
        if 0 <= limit < moved + len(batch):
            batch = batch[: limit - moved]
        done, gained = _move_batch(point, batch, bland=idle > _PATIENCE)
        moved += done
        idle = 0 if gained else idle + max(done, 1)
        if idle > _PATIENCE + 4 * len(violation):
            return moved
    return moved


def _chosen(
    violation: NDArray[np.float64], rounding: float, *, bland: bool
) -> NDArray[np.int64]:
    """Return the rows to move next: the widest violations, or the lowest number."""
    if bland:
        return np.flatnonzero(np.abs(violation) > rounding)[:1]
    size = np.abs(violation)
    count = min(_BATCH, len(size))
    rows = np.argpartition(-size, count - 1)[:count]
    return rows[size[rows] > rounding]


def _move_batch(
    point: WorkingPoint, batch: NDArray[np.int64], *, bland: bool
) -> tuple[int, bool]:
    """Move the rows of a batch, each the widest violation among them at its turn.

    Only the scores of the batch are kept up to date between the moves.
    """
    point.watch(batch)
    gained = False
    for done in range(len(batch)):
        violation = point.watched_violations()
        place = int(np.argmax(np.abs(violation)))
        if abs(violation[place]) <= point.rounding() or point.free.count == 0:
            return done, gained
        gained |= point.move(place, up=violation[place] > 0, bland=bland)
    return len(batch), gained


def _closeness(closest: float, widest: float) -> float:
    """Return a share in [0, 1] that grows as the violation falls by decades."""
    return float(np.clip(np.log10(widest / closest) / 12.0, 0.0, 1.0))
