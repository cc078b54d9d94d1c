"""The one door to the dual solvers.

``auto`` picks the active set, exact to machine precision, for small problems, and
decomposition, whose cost grows more slowly, above.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.problem import DualProblem
from solvers.dual.registry import Progress, find_solver
from solvers.dual.solution import DualSolution

__all__ = ["chosen_solver", "solve"]

SMALL_ROWS = 200


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
    solver : {"auto", "decomposition", "active-set", "reference"}
    tolerance : float
        Converged means: the two bounds on the bias cross by at most this much
        (in units of the score), and the relative duality gap is at most this too.
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
    return find_solver(chosen_solver(problem, solver))(
        problem,
        tolerance=tolerance,
        max_iterations=max_iterations,
        cache_mb=cache_mb,
        start=start,
        progress=progress,
    )
