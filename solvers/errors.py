"""Every error that ``solvers`` raises on purpose.

    SolverError
    ├── InvalidCostsError      costs that break conditions (1) or (2)
    ├── InvalidLossError       knots and slopes that are no convex function
    ├── UnknownNameError       a loss, kernel, solver or rule nobody registered
    ├── IndefiniteKernelError  landmarks among which a kernel has no positive eigenvalue
    ├── InfeasibleRuleError    a rule whose fit has no answer for these scores
    └── Interrupted            the caller's progress callback asked to stop

Arguments are positional, so that errors survive a process border. All but
``Interrupted`` are ``ValueError`` too, as scikit-learn's users expect.
"""

__all__ = [
    "IndefiniteKernelError",
    "InfeasibleRuleError",
    "Interrupted",
    "InvalidCostsError",
    "InvalidLossError",
    "SolverError",
    "UnknownNameError",
]


class SolverError(Exception):
    """The root of all errors raised by ``solvers``."""


class InvalidCostsError(SolverError, ValueError):
    """Costs that no reject rule can be derived from."""


class InvalidLossError(SolverError, ValueError):
    """Knots and slopes that do not describe a convex piecewise-linear function."""


class UnknownNameError(SolverError, ValueError):
    """A loss, kernel, solver or rule was asked for by a name nobody registered."""

    def __init__(self, kind: str, name: object, known: tuple[str, ...]) -> None:
        super().__init__(kind, name, known)
        self.kind, self.name, self.known = kind, name, known

    def __str__(self) -> str:
        return f"no {self.kind} is called {self.name!r}; known: {', '.join(self.known)}"


class IndefiniteKernelError(SolverError, ValueError):
    """A kernel has no positive eigenvalue among the rows that stand for all."""


class InfeasibleRuleError(SolverError, ValueError):
    """A reject rule cannot be fitted on the scores it was given."""


class Interrupted(SolverError):  # noqa: N818 - it reports an order, not a fault
    """The progress callback returned ``False``: the fit was stopped."""
