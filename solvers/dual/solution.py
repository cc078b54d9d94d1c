"""What a solver hands over: the weights and the certificate that they are right."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["DualSolution", "certified", "relative_gap"]


def relative_gap(primal: float, dual: float) -> float:
    """Return ``(primal - dual) / max(|primal|, |dual|)``, 0 when both are equal.

    Weak duality keeps it >= 0 up to rounding. It bounds how much the primal
    objective could still fall, whatever algorithm made the solution.
    """
    scale = max(abs(primal), abs(dual))
    return 0.0 if scale == 0.0 else (primal - dual) / scale


def certified(primal: float, dual: float, tolerance: float) -> bool:
    """Tell whether the duality gap proves that a solution is near the optimum.

    A gap far below zero proves nothing: weights whose sum is not zero, by rounding of
    large ones, are no weights of the dual.
    """
    return abs(relative_gap(primal, dual)) <= tolerance


@dataclass(frozen=True, slots=True, eq=False)
class DualSolution:
    """Weights ``beta`` of the dual, the bias, and both objectives.

    Parameters
    ----------
    weights : array of shape (n,)
        Signed weights; ``f(x) = sum_i weights_i k(x_i, x) + bias``.
    bias : float
    iterations : int
        Steps of the algorithm (pairs or working-set changes).
    converged : bool
        Whether the certificate holds: the gap is at most the tolerance, and so is the
        violation of the optimality conditions (or at most what rounding makes of it).
    solver : str
        The registered name of the algorithm that ran.
    primal, dual : float
        Both objectives at ``weights`` and ``bias``.
    """

    weights: NDArray[np.float64]
    bias: float
    iterations: int
    converged: bool
    solver: str
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """Return the relative duality gap (see ``relative_gap``)."""
        return relative_gap(self.primal, self.dual)
