"""The dual of a kernel machine with piecewise-linear losses.

    primal   min_{f,b}   1/2 |f|^2 + sum_i L_i(f(x_i) + b)
    dual     min_beta    1/2 beta'K beta + sum_i L_i*(-beta_i),   sum_i beta_i = 0

with ``f = sum_i beta_i k(x_i, .)`` and ``-s_K <= beta_i <= -s_0``, the slopes of
``L_i``. The separable term is piecewise linear with breakpoints at minus the slopes.
``beta`` is optimal exactly when one bias ``b`` puts every score ``(K beta)_i + b``
into the interval of knots that ``beta_i`` allows:

    max_i (low_i - (K beta)_i)  <=  b  <=  min_j (high_j - (K beta)_j)

(Grandvalet et al. 2008, equation 11, for any list of knots.)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solvers.kernels import KernelRows
from solvers.losses.piecewise import PiecewiseLinear

__all__ = ["DualProblem", "bias_and_violation"]

Floats = NDArray[np.float64]

# Of a sum of some thousand terms, relative to the sum of their sizes.
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class DualProblem:
    """A kernel over ``n`` rows and one loss for each.

    Parameters
    ----------
    kernel_rows : KernelRows
        The kernel matrix, row by row.
    losses : PiecewiseLinear
        One loss per row, weights and C multiplied in.
    """

    kernel_rows: KernelRows
    losses: PiecewiseLinear

    def __post_init__(self) -> None:
        if self.kernel_rows.n_rows != self.losses.n_rows:
            msg = (
                f"{self.kernel_rows.n_rows} kernel rows do not match"
                f" {self.losses.n_rows} losses"
            )
            raise ValueError(msg)

    @property
    def n_rows(self) -> int:
        """Return the number of weights."""
        return self.losses.n_rows

    @property
    def breakpoints(self) -> Floats:
        """Return where each weight's term bends, ascending, shape (n, K + 1)."""
        # Adding zero turns -0.0 into 0.0, so that an unused weight prints as 0.
        return np.ascontiguousarray(-self.losses.slopes[:, ::-1]) + 0.0

    def gradient(
        self, weights: Floats, between: Callable[[], None] | None = None
    ) -> Floats:
        """Return ``K beta``, the scores without bias, in float64, shape (n,).

        ``between`` is called several times a second.
        """
        return self.kernel_rows.product(weights, between)

    def primal(
        self, weights: Floats, bias: float, scores: Floats | None = None
    ) -> float:
        """Return the primal objective; ``scores`` is ``K beta`` when known."""
        f = self.gradient(weights) if scores is None else scores
        return float(0.5 * weights @ f + self.losses.value(f + bias).sum())

    def dual(self, weights: Floats, scores: Floats | None = None) -> float:
        """Return the dual objective (to be maximised), never above the primal."""
        f = self.gradient(weights) if scores is None else scores
        return float(-0.5 * weights @ f - self.losses.conjugate(-weights).sum())

    def objectives(
        self, weights: Floats, bias: float, scores: Floats
    ) -> tuple[float, float]:
        """Return both objectives, as one number where only rounding parts them.

        A minimum of zero (targets that the bias alone meets) is a sum of terms that
        cancel: a gap relative to what is left of them would say nothing.
        """
        primal, dual = self.primal(weights, bias, scores), self.dual(weights, scores)
        losses = self.losses
        reach = np.abs(scores + bias) + np.abs(losses.knots).max(axis=1)
        steepest = np.abs(losses.slopes).max(axis=1)
        terms = np.abs(losses.heights).sum() + steepest @ reach
        if abs(primal - dual) <= _ROUNDING * terms:
            return primal, primal
        return primal, dual


def bias_and_violation(
    problem: DualProblem, weights: Floats, scores: Floats
) -> tuple[float, float]:
    """Return the bias between the two bounds above, and how far they cross.

    The violation is at most 0 exactly at an optimum. The bias is the middle of the
    two bounds, the finite one when only one is finite, and 0 without any.
    """
    low, high = problem.losses.knot_interval(weights)
    lower, upper = float((low - scores).max()), float((high - scores).min())
    finite = [bound for bound in (lower, upper) if np.isfinite(bound)]
    return (sum(finite) / len(finite) if finite else 0.0), lower - upper
