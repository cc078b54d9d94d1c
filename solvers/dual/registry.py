"""Where dual solvers register: one function ``DualProblem -> DualSolution`` each.

Every solver takes the problem and the keywords ``tolerance``, ``max_iterations``,
``cache_mb``, ``start`` and ``progress`` (see ``solvers.dual.solve``). To add one,
write its module, decorate the function, and name the module in ``_MODULES``: it is
imported when its solver is first asked for.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solvers.dual.problem import DualProblem
from solvers.dual.solution import DualSolution
from solvers.errors import Interrupted, UnknownNameError

__all__ = [
    "Progress",
    "Solver",
    "find_solver",
    "register",
    "report",
    "solver_names",
]

Progress: TypeAlias = Callable[[float, str], bool]


class Solver(Protocol):
    """A function that solves a dual problem."""

    def __call__(
        self,
        problem: DualProblem,
        *,
        tolerance: float,
        max_iterations: int,
        cache_mb: float,
        start: NDArray[np.float64] | None,
        progress: Progress | None,
    ) -> DualSolution:
        """Return the solution; ``converged`` says whether tolerance was reached."""
        ...


_MODULES = {
    "active-set": "solvers.dual.active_set",
    "decomposition": "solvers.dual.decomposition",
}
_SOLVERS: dict[str, Solver] = {}


def register(name: str) -> Callable[[Solver], Solver]:
    """Return a decorator that enters a solver under ``name``."""

    def enter(solver: Solver) -> Solver:
        _SOLVERS[name] = solver
        return solver

    return enter


def solver_names() -> tuple[str, ...]:
    """Return the names that ``find_solver`` knows."""
    return tuple(_MODULES)


def find_solver(name: str) -> Solver:
    """Return the solver of that name, importing its module when needed."""
    if name not in _MODULES:
        kind = "solver"
        raise UnknownNameError(kind, name, solver_names())
    if name not in _SOLVERS:
        import_module(_MODULES[name])
    return _SOLVERS[name]


def report(progress: Progress | None, fraction: float, message: str) -> None:
    """Tell the caller how far we are; raise ``Interrupted`` when it says stop."""
    if progress is not None and not progress(fraction, message):
        msg = f"stopped on request: {message}"
        raise Interrupted(msg)
