"""Where a decomposition stands, as the arrays its loops work on."""

from dataclasses import dataclass, fields
from math import log
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from solvers.dual.feasible import feasible_start
from solvers.dual.problem import DualProblem
from solvers.dual.registry import Progress, report
from solvers.dual.smo import refresh_bounds

__all__ = ["PairState", "Reporter", "start_state"]

Floats = NDArray[np.float64]

_REPORT_EVERY_S = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class PairState:
    """The weights, their gradient and their surroundings; arrays change in place.

    Parameters
    ----------
    breaks : (n, K + 1) float64
        Ends of the segments of each weight's term, ascending.
    levels : (n, K) float64
        The knot of each segment, descending.
    diagonal : (n,) float32
    beta, g : (n,) float64
        Weights and ``K beta``.
    low, high : (n,) float64
        The knots above and below which a weight may not stay.
    """

    breaks: Floats
    levels: Floats
    diagonal: NDArray[np.float32]
    beta: Floats
    g: Floats
    low: Floats
    high: Floats

    def of(self, rows: NDArray[np.int64]) -> "PairState":
        """Return a copy of some rows."""
        return PairState(*(getattr(self, each.name)[rows] for each in fields(self)))


def start_state(problem: DualProblem, start: Floats | None) -> PairState:
    """Return the state at ``start``, made feasible; its gradient is still zero."""
    breaks = problem.breakpoints
    levels = np.ascontiguousarray(problem.losses.knots[:, ::-1])
    beta = feasible_start(breaks, start)
    low, high = np.empty_like(beta), np.empty_like(beta)
    refresh_bounds(levels, breaks, beta, low, high)
    diagonal = problem.kernel_rows.diagonal().astype(np.float32)
    return PairState(breaks, levels, diagonal, beta, np.zeros_like(beta), low, high)


class Reporter:
    """Tell the caller about ten times a second how far the violation has fallen.

    Parameters
    ----------
    progress : callable or None
    tolerance : float
    """

    def __init__(self, progress: Progress | None, tolerance: float) -> None:
        self._progress = progress
        self._tolerance = tolerance
        self._widest = 0.0
        self._fraction = 0.0
        self._told_at = -np.inf
        self._text = "preparing"

    def tell(self, violation: float, steps: int) -> None:
        """Report, unless that was done a moment ago; raise Interrupted on request."""
        now = perf_counter()
        if self._progress is None or now - self._told_at < _REPORT_EVERY_S:
            return
        self._told_at = now
        self._widest = max(self._widest, violation, 2 * self._tolerance)
        ratio = log(self._widest / max(violation, self._tolerance))
        done = ratio / log(self._widest / self._tolerance)
        self._fraction = max(self._fraction, min(done, 0.99))
        self._text = f"{steps} steps, optimality violated by {violation:.2e}"
        report(self._progress, self._fraction, self._text)

    def again(self) -> None:
        """Say the same once more, during work that is not stepping."""
        now = perf_counter()
        if now - self._told_at >= _REPORT_EVERY_S:
            self._told_at = now
            report(self._progress, self._fraction, self._text)
