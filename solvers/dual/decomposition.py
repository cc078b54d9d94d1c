"""Decomposition: few weights at a time, kernel rows in float32, gradient in float64.

Up to a few thousand rows the whole matrix is kept and single pairs are stepped; above,
blocks of rows from a bounded cache. When the steps have brought the violation to the
tolerance, the certificate is looked at:

- where rounding of the rows could show at this tolerance, the gradient is computed
  anew in float64 and the steps go on from there (iterative refinement, so a tolerance
  of 1e-6 is reached with float32 rows);
- while the relative duality gap is above the tolerance, the steps go on with a smaller
  one. A kernel that is not positive semi-definite may keep its gap open: after some
  rounds the solver ends at the stationary point it has.

Where one weight at its bound would already turn rounding into more than the tolerance
(a large C, a kernel with large values), the rows are float64 from the beginning.

A step always lowers the dual objective, so the solver ends for any kernel; a limit on
the number of steps guards against rounding.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.dual.blocks import run_blocks, run_pairs
from solvers.dual.problem import DualProblem, bias_and_violation
from solvers.dual.registry import Progress, register
from solvers.dual.solution import DualSolution, certified, relative_gap
from solvers.dual.state import PairState, Reporter, start_state
from solvers.kernels.sums import add_rows
from solvers.threads import one_blas_thread

__all__ = ["solve_decomposition"]

Floats = NDArray[np.float64]

WHOLE_MATRIX_ROWS = 2500
_PRECISE_BELOW = 1e-5
_COARSE = 8.0
# Products and exponentials of float32 are wrong by some units of their last place.
_ROUNDING = 2.0**-22
_STEP_LIMIT = 10_000_000
_REFINEMENTS = 12
_TIGHTEN = (0.01, 0.25)


@register("decomposition")
def solve_decomposition(
    problem: DualProblem,
    *,
    tolerance: float = 1e-3,
    max_iterations: int = -1,
    cache_mb: float = 200.0,
    start: Floats | None = None,
    progress: Progress | None = None,
) -> DualSolution:
    """Solve by decomposition (see ``solvers.dual.solve.solve`` for the parameters)."""
    limit = max(_STEP_LIMIT, 100 * problem.n_rows)
    limit = limit if max_iterations < 0 else max_iterations
    with one_blas_thread():
        state = start_state(problem, start)
        run = _Run(problem, state, tolerance, cache_mb, Reporter(progress, tolerance))
        run.until_certified(limit)
    return run.solution()


class _Run:
    """One run of the solver: the steps, and the certificate between them."""

    def __init__(
        self,
        problem: DualProblem,
        state: PairState,
        tolerance: float,
        cache_mb: float,
        reporter: Reporter,
    ) -> None:
        self.problem, self.state, self.tolerance = problem, state, tolerance
        self.reporter = reporter
        self.steps = 0
        rows = problem.kernel_rows
        small = problem.n_rows <= WHOLE_MATRIX_ROWS
        self.precise = (small and tolerance < _PRECISE_BELOW) or (
            self._rounding(np.abs(state.breaks).max()) > _COARSE * tolerance
        )
        self.whole = rows.whole(self.precise) if small else None
        self.cache = None if small else rows.cached(cache_mb, self.precise)
        if self.precise or not state.beta.any():
            self._gradient_anew()
        else:
            self._gradient_from_rows()

    def until_certified(self, limit: int) -> None:
        """Step until violation and gap are at most the tolerance, or the limit."""
        target = self.tolerance
        for _ in range(_REFINEMENTS):
            self._step(target, limit - self.steps)
            self._certify()
            if self.steps < limit and self._rounding_shows():
                self._gradient_anew()
                self._certify()
            if self.steps >= limit:
                return
            if self.violation <= self.tolerance:
                if self._certified():
                    return
                # The gap falls with the violation, about in proportion.
                gap = abs(relative_gap(self.primal, self.dual))
                target *= np.clip(0.5 * self.tolerance / gap, *_TIGHTEN)

    def solution(self) -> DualSolution:
        """Return the certified weights."""
        return DualSolution(
            weights=self.state.beta,
            bias=self.bias,
            iterations=self.steps,
            converged=self.violation <= self.tolerance and self._certified(),
            solver="decomposition",
            primal=self.primal,
            dual=self.dual,
        )

    def _step(self, target: float, allowed: int) -> None:
        state, reporter = self.state, self.reporter
        if self.whole is not None:
            self.steps += run_pairs(self.whole, state, target, allowed, reporter.tell)
        elif self.cache is not None:
            self.steps += run_blocks(self.cache, state, target, allowed, reporter)

    def _certify(self) -> None:
        problem, beta, g = self.problem, self.state.beta, self.state.g
        self.bias, self.violation = bias_and_violation(problem, beta, g)
        self.primal, self.dual = problem.objectives(beta, self.bias, g)

    def _certified(self) -> bool:
        return certified(self.primal, self.dual, self.tolerance)

    def _rounding_shows(self) -> bool:
        """Tell whether float32 rows may show in a score, or in the gap.

        In a score: as a tenth of the tolerance. A score at a knot, moved off it, costs
        up to the distance times the width of its weight's box.
        """
        if self.precise:
            return False
        state = self.state
        error = self._rounding(np.linalg.norm(state.beta))
        scores = state.g + self.bias
        near = np.minimum(scores - state.low, state.high - scores) <= 4 * error
        width = float((state.breaks[near, -1] - state.breaks[near, 0]).sum())
        objective = max(abs(self.primal), abs(self.dual))
        cost = error * width
        return error > 0.1 * self.tolerance or cost > 0.1 * self.tolerance * objective

    def _rounding(self, weight: float | np.floating[Any]) -> float:
        """Return what rounding to float32 does to ``weight`` times the kernel."""
        return _ROUNDING * float(np.abs(self.state.diagonal).max()) * float(weight)

    def _gradient_anew(self) -> None:
        """Set the gradient in float64, while the caller is still told and asked."""
        self.state.g[:] = self.problem.gradient(self.state.beta, self.reporter.again)

    def _gradient_from_rows(self) -> None:
        """Set the gradient from float32 rows, which stay in the cache."""
        used = np.flatnonzero(self.state.beta)
        if self.whole is not None:
            g = self.state.g
            add_rows(g, self.whole, used, self.state.beta[used], 0, len(g))
        elif self.cache is not None:
            most = max(1, self.cache.capacity // 2)
            for first in range(0, len(used), most):
                part = used[first : first + most]
                self.cache.add_to(self.state.g, part, self.state.beta[part])
                self.reporter.again()
