"""The one door to the dual solvers.

``auto`` ends small problems by the active set, exact to machine precision, and leaves
larger ones to decomposition. The active set then starts where decomposition stops,
which leaves it hardly a row to move. It also ends problems of moderate size on which
decomposition makes too little progress: kernels of low rank at large C, whose few free
weights it solves for at once.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solvers.dual.problem import DualProblem
from solvers.dual.registry import Progress, find_solver
from solvers.dual.solution import DualSolution

__all__ = ["chosen_solver", "solve"]

SMALL_ROWS = 200
MODERATE_ROWS = 5_000
_PATIENCE = 1_000
"""Pair steps a row before ``auto`` turns to the active set."""


def chosen_solver(problem: DualProblem, solver: str = "auto") -> str:
    """Return the registered name of the solver that ``solve`` runs."""
    if solver != "auto":
        return solver
    return "active-set" if problem.n_rows <= SMALL_ROWS else "decomposition"


def solve(
    problem: DualProblem,
    *,
    solver: str = "auto",
    tolerance: float = 1e-3,
    max_iterations: int = -1,
    cache_mb: float = 200.0,
    start: NDArray[np.float64] | None = None,
    progress: Progress | None = None,
) -> DualSolution:
    """Solve a dual problem.

    Parameters
    ----------
    problem : DualProblem
    solver : {"auto", "decomposition", "active-set"}
    tolerance : float
        Converged means: the relative duality gap is at most this, and the two bounds
        on the bias cross by at most this much too (in units of the score), or by what
        rounding makes of it.
    max_iterations : int
        Steps allowed, -1 for no limit.
    cache_mb : float
        Megabytes for rows of the kernel matrix.
    start : array of shape (n_rows,), optional
        Weights of a related problem; they are moved to the nearest feasible ones.
    progress : callable (fraction, message) -> bool, optional
        Called several times a second; returning False stops.

    Raises
    ------
    UnknownNameError
        When no solver has that name.
    Interrupted
        When ``progress`` returned False.
    """
    chosen = chosen_solver(problem, solver)
    onwards = None if progress is None else _Onwards(progress)

    def run(
        name: str, beginning: NDArray[np.float64] | None, left: int
    ) -> DualSolution:
        return find_solver(name)(
            problem,
            tolerance=tolerance,
            max_iterations=left,
            cache_mb=cache_mb,
            start=beginning,
            progress=onwards,
        )

    if solver != "auto" or problem.n_rows > MODERATE_ROWS:
        return run(chosen, start, max_iterations)
    patience = _PATIENCE * problem.n_rows
    allowed = patience if max_iterations < 0 else min(patience, max_iterations)
    rough = run("decomposition", start, allowed)
    if rough.converged and chosen == "decomposition":
        return rough
    left = max_iterations - rough.iterations if max_iterations >= 0 else -1
    if left == 0:
        return rough
    if onwards is not None:
        onwards.turn()
    exact = run("active-set", rough.weights, left)
    # Where rounding lets neither end, the one that came nearer is better than nothing.
    better = exact if exact.converged or abs(exact.gap) <= abs(rough.gap) else rough
    return replace(better, iterations=rough.iterations + exact.iterations)


class _Onwards:
    """Progress of one solver after another: the next goes on where the last ended."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._begin = self._reached = 0.0

    def __call__(self, fraction: float, message: str) -> bool:
        overall = self._begin + (1.0 - self._begin) * fraction
        self._reached = max(self._reached, overall)
        return self._progress(self._reached, message)

    def turn(self) -> None:
        """Let the next solver begin."""
        self._begin = self._reached
