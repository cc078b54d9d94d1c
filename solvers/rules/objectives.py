"""What a smoothed rule maximises over two thresholds, with both derivatives.

Every objective is a sum of one curve per threshold, ``lower(f_-) + upper(f_+)``: the
Hessian is diagonal. With the class shares below and above, and joint densities phi
with derivatives psi:

information   (6), gradient (8), Hessian (9) of Xu and Hu (2013)
cost          minus (12), (13), (14), any scale of the four costs; the constant cost of
              rejecting everything is left out

The modified mutual information is, in nats,

    I(f_-, f_+) = g(FN, TN) + g(TP, FP)
    g(x, w)     = x log( x / (pi (x + w)) ) + w log( w / ((1 - pi) (x + w)) )

``x`` and ``w`` are the joint shares of +1 and -1 on one side of a threshold and ``pi``
the share of +1. The two terms have no variable in common, so the Hessian is diagonal
and each threshold has its own optimum. ``g`` is convex, zero where a side is empty.

Source: Xu and Hu (2013), equations (6), (8) and (9), with 0 log 0 = 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.rules.densities import ClassDensity, ScoreDensities

__all__ = [
    "CostObjective",
    "InformationObjective",
    "Objective",
    "side_information",
    "side_log_ratios",
]

Floats = NDArray[np.float64]
Point = tuple[float, float, float]
Integral = Callable[[ClassDensity, float], float]


class Objective(Protocol):
    """A curve per threshold: value, slope, curvature; and values on the grid."""

    @property
    def densities(self) -> ScoreDensities:
        """Return the densities that the objective integrates."""

    def lower(self, z: float) -> Point:
        """Return value, slope and curvature of the curve of f_-."""

    def upper(self, z: float) -> Point:
        """Return value, slope and curvature of the curve of f_+."""

    def on_grid(self) -> tuple[Floats, Floats]:
        """Return the values of both curves at the grid points."""


@dataclass(frozen=True, slots=True, eq=False)
class InformationObjective:
    """The modified mutual information, in nats."""

    densities: ScoreDensities

    def lower(self, z: float) -> Point:
        """Return g(FN, TN) and its derivatives by f_-."""
        density = self.densities
        return self._side(
            z, density.positive.below(z), density.negative.below(z), sign=1.0
        )

    def upper(self, z: float) -> Point:
        """Return g(TP, FP) and its derivatives by f_+."""
        density = self.densities
        return self._side(
            z, density.positive.above(z), density.negative.above(z), sign=-1.0
        )

    def on_grid(self) -> tuple[Floats, Floats]:
        """Return the values of both curves at the grid points."""
        prior = self.densities.prior
        x, w = _below_grid(self.densities)
        return (
            side_information(x, w, prior),
            side_information(x[-1] - x, w[-1] - w, prior),
        )

    def _side(self, z: float, x: float, w: float, sign: float) -> Point:
        prior = self.densities.prior
        value = float(side_information(np.asarray(x), np.asarray(w), prior))
        log_x, log_w = side_log_ratios(x, w, prior)
        phi_x, psi_x = self.densities.positive.at(z)
        phi_w, psi_w = self.densities.negative.at(z)
        slope = sign * (phi_x * log_x + phi_w * log_w)
        curvature = sign * (psi_x * log_x + psi_w * log_w)
        denominator = x * w * (x + w)
        if denominator > 0.0:
            curvature += (phi_x * w - phi_w * x) ** 2 / denominator
        return value, slope, curvature


@dataclass(frozen=True, slots=True, eq=False)
class CostObjective:
    """What is saved against rejecting everything: minus the expected cost (12)."""

    densities: ScoreDensities
    costs: CostMatrix

    def lower(self, z: float) -> Point:
        """Return the saving by calling -1 below z, and its derivatives."""
        return self._side(z, self._prices()[0], ClassDensity.below, sign=1.0)

    def upper(self, z: float) -> Point:
        """Return the saving by calling +1 above z, and its derivatives."""
        return self._side(z, self._prices()[1], ClassDensity.above, sign=-1.0)

    def on_grid(self) -> tuple[Floats, Floats]:
        """Return the values of both curves at the grid points."""
        x, w = _below_grid(self.densities)
        (lower_x, lower_w), (upper_x, upper_w) = self._prices()
        lower = lower_x * x + lower_w * w
        upper = upper_x * (x[-1] - x) + upper_w * (w[-1] - w)
        return np.asarray(lower), np.asarray(upper)

    def _prices(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return what a decided +1 and a decided -1 save, on either side."""
        costs = self.costs
        return (
            (costs.reject_positive - costs.false_negative, costs.reject_negative),
            (costs.reject_positive, costs.reject_negative - costs.false_positive),
        )

    def _side(
        self, z: float, prices: tuple[float, float], integral: Integral, sign: float
    ) -> Point:
        value = prices[0] * integral(self.densities.positive, z)
        value += prices[1] * integral(self.densities.negative, z)
        phi_x, psi_x = self.densities.positive.at(z)
        phi_w, psi_w = self.densities.negative.at(z)
        return (
            value,
            sign * (prices[0] * phi_x + prices[1] * phi_w),
            sign * (prices[0] * psi_x + prices[1] * psi_w),
        )


def _below_grid(densities: ScoreDensities) -> tuple[Floats, Floats]:
    """Return the masses of both classes below every grid point (trapezoids)."""
    masses = []
    for curve in (densities.on_grid_positive, densities.on_grid_negative):
        inner = np.cumsum((curve[1:] + curve[:-1]) * (densities.step / 2.0))
        masses.append(np.concatenate(([0.0], inner)))
    return masses[0], masses[1]


def side_information(x: Floats, w: Floats, prior: float) -> Floats:
    """Return g(x, w), elementwise; ``prior`` is pi."""
    total = x + w
    safe_x = np.where(x > 0.0, x, 1.0)
    safe_w = np.where(w > 0.0, w, 1.0)
    safe_total = np.where(total > 0.0, total, 1.0)
    return np.asarray(
        x * np.log(safe_x / (prior * safe_total))
        + w * np.log(safe_w / ((1.0 - prior) * safe_total))
    )


def side_log_ratios(x: float, w: float, prior: float) -> tuple[float, float]:
    """Return the derivatives of g with respect to x and w.

    They are log(x / (pi (x + w))) and log(w / ((1 - pi) (x + w))): the derivatives of
    the weights outside the logarithms; those of the insides cancel.
    """
    tiny = np.finfo(np.float64).tiny
    total = max(x + w, tiny)
    first = np.log(max(x, tiny) / (prior * total))
    second = np.log(max(w, tiny) / ((1.0 - prior) * total))
    return float(first), float(second)
