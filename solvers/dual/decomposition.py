"""Decomposition: pair steps on a float32 kernel matrix with a float64 gradient."""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.feasible import feasible_start
from solvers.dual.pairs import pair_steps, refresh_bounds
from solvers.dual.problem import DualProblem, bias_and_violation
from solvers.dual.registry import Progress, register, report
from solvers.dual.solution import DualSolution

__all__ = ["solve_decomposition"]

_STEPS_PER_REPORT = 20_000
_STEP_LIMIT = 10_000_000


@register("decomposition")
def solve_decomposition(
    problem: DualProblem,
    *,
    tolerance: float = 1e-3,
    max_iterations: int = -1,
    cache_mb: float = 200.0,  # noqa: ARG001 - the solvers' common signature
    start: NDArray[np.float64] | None = None,
    progress: Progress | None = None,
) -> DualSolution:
    """Solve by decomposition (see ``solvers.dual.solve.solve`` for the parameters)."""
    losses = problem.losses
    breaks = problem.breakpoints
    levels = np.ascontiguousarray(losses.knots[:, ::-1])
    beta = feasible_start(breaks, start)
    diagonal = problem.kernel_rows.diagonal()
    K = problem.kernel_rows.block(np.arange(problem.n_rows))
    g = problem.gradient(beta)
    low, high = np.empty_like(g), np.empty_like(g)
    refresh_bounds(levels, breaks, beta, low, high)
    limit = _STEP_LIMIT if max_iterations < 0 else max_iterations
    steps, violation = 0, np.inf
    while violation > tolerance and steps < limit:
        chunk = min(_STEPS_PER_REPORT, limit - steps)
        done, violation = pair_steps(
            K, diagonal, levels, breaks, beta, g, low, high, tolerance, chunk
        )
        steps += done
        report(progress, 1.0 / (1.0 + violation), f"violation {violation:.2e}")
    g = problem.gradient(beta)
    bias, violation = bias_and_violation(problem, beta, g)
    return DualSolution(
        weights=beta,
        bias=bias,
        iterations=steps,
        converged=bool(violation <= 2 * tolerance),
        solver="decomposition",
        primal=problem.primal(beta, bias, g),
        dual=problem.dual(beta, g),
    )
