"""The lowest point of a convex function on an interval, by its first two derivatives.

Newton's steps, and bisection of the bracket where a step leaves it or shrinks too
slowly; derivatives may be subgradients with a wrong curvature.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf

__all__ = ["ExponentialLine", "minimise"]

_STEPS = 200
_FAST = 20
"""Newton's steps before every other one halves the bracket: from beyond the minimum of
exp(b eta) a step shortens the way by 1 / b only."""


@dataclass(frozen=True, slots=True)
class ExponentialLine:
    """The exponential objective along one pair.

    F(eta) = right e^-eta + wrong e^eta + rejected e^(b eta) + accepted e^(-b eta)
    up to a constant: the four coefficients are sums over groups of rows.
    """

    right: float
    wrong: float
    rejected: float
    accepted: float
    b: float

    def value(self, eta: float) -> float:
        """Return F(eta)."""
        fall, rise = self.right * _exp(-eta), self.wrong * _exp(eta)
        grow = self.rejected * _exp(self.b * eta)
        return fall + rise + grow + self.accepted * _exp(-self.b * eta)

    def slopes(self, eta: float) -> tuple[float, float]:
        """Return F'(eta) and F''(eta)."""
        fall, rise = self.right * _exp(-eta), self.wrong * _exp(eta)
        grow = self.rejected * _exp(self.b * eta)
        sink = self.accepted * _exp(-self.b * eta)
        first = rise - fall + self.b * (grow - sink)
        return first, rise + fall + self.b * self.b * (grow + sink)


def _exp(exponent: float) -> float:
    # Far beyond every minimum the sign of the slope is all that is asked for.
    return exp(min(exponent, 600.0))


def minimise(
    slopes: Callable[[float], tuple[float, float]],
    start: tuple[float, float],
    low: float,
    high: float,
    *,
    tolerance: float,
) -> float:
    """Return where the slope vanishes in [low, high], or the end where it does not.

    Parameters
    ----------
    slopes : callable
        eta -> (first derivative, second derivative).
    start : tuple of float
        Both at 0.
    low, high : float
        The interval, low <= 0 <= high.
    tolerance : float
        The search ends where the slope is below this part of its value at 0.
    """
    first, second = start
    small = tolerance * abs(first)
    far = low if first > 0.0 else high
    far_is_beyond = False
    near, eta, before = 0.0, 0.0, inf
    for taken in range(_STEPS):
        if abs(first) <= small:
            break
        following = eta - first / second if second > 0.0 else far
        inside = min(near, far) < following < max(near, far)
        if not inside and not far_is_beyond:
            following, far_is_beyond = far, True
            if slopes(far)[0] * (far - near) <= 0.0:
                return far
        # A step must halve the slope; where it did not, halve the bracket.
        slow = abs(first) > 0.5 * before or (taken >= _FAST and taken % 2 == 1)
        if not inside or (far_is_beyond and slow):
            following = 0.5 * (near + far)
        before = abs(first)
        eta = following
        first, second = slopes(eta)
        if first * (far - near) < 0.0:
            near = eta
        else:
            far, far_is_beyond = eta, True
        if abs(far - near) <= 1e-15 * max(1.0, abs(eta)):
            break
    return eta
