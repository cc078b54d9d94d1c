r"""The convex surrogates of the abstention loss that the boosters minimise.

A pair (h, r) says sign(h) where r > 0 and rejects where r <= 0. Its cost on a row of
label y is bounded by

    sum:  L(h, r, y) = c_y Phi(r - y h) + (K_y / b) Phi(-b r)
    max:  L(h, r, y) = max( c_y Phi(r - y h), (K_y / b) Phi(-b r) )

with Phi(u) = exp(u) (exponential) or log2(1 + exp(u)) (logistic).

As printed (Cortes et al. 2016, equations 3 and 4, a = 1): c_y = 1, K_y / b = c,
b = 2 sqrt((1 - c) / c).

Calibrated for any costs: let u = p c_+ and v = (1 - p) c_-. At fixed (h, r) the best
value of the first term depends on p through the concave

    s(p) = 2 sqrt(u v)  (exponential)    or    s(p) = 4 u v / (u + v)  (logistic),

and r* <= 0 exactly where s(p) >= p K_+ + (1 - p) K_-. Choosing K so that this line
is the chord of s through p_- and p_+ makes r* <= 0 on [p_-, p_+] and nowhere else;
b = min(K_+ / r_+, K_- / r_-) keeps L above the abstention loss. With symmetric
costs the exponential one is the printed surrogate; the logistic one has
b = 4 (1 - c), where the printed constant would reject another band.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.errors import UnknownNameError
from solvers.parameters import is_number

__all__ = ["FORMS", "LOSSES", "Surrogate", "calibrated", "printed"]

LOSSES = ("exponential", "logistic")
FORMS = ("sum", "max")

_LN2 = log(2.0)


@dataclass(frozen=True, slots=True)
class Surrogate:
    """One surrogate: the link Phi, how the terms join, and the constants.

    Parameters
    ----------
    loss : {"exponential", "logistic"}
    form : {"sum", "max"}
    error_positive, error_negative : float
        c_+ and c_-: what a wrong answer costs on a true +1 and on a true -1.
    pull_positive, pull_negative : float
        K_+ and K_-: the weight of rejecting, before the division by b.
    b : float
        How fast the second term falls with r.
    """

    loss: str
    form: str
    error_positive: float
    error_negative: float
    pull_positive: float
    pull_negative: float
    b: float

    def __post_init__(self) -> None:
        _check_name("loss", self.loss, LOSSES)
        _check_name("surrogate", self.form, FORMS)

    @property
    def log_cost_ratio(self) -> float:
        """Return log(c_+ / c_-)."""
        return log(self.error_positive / self.error_negative)

    def errors(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return c_y for each label in {-1, +1}."""
        return np.where(y > 0, self.error_positive, self.error_negative)

    def pulls(self, y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return K_y for each label in {-1, +1}."""
        return np.where(y > 0, self.pull_positive, self.pull_negative)

    def value(
        self,
        y: NDArray[np.float64],
        h: NDArray[np.float64],
        r: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return L(h, r, y) of each row, all arrays of shape (n_rows,)."""
        first = self.errors(y) * self.link(r - y * h)
        second = self.pulls(y) / self.b * self.link(-self.b * r)
        if self.form == "max":
            return np.maximum(first, second)
        return np.asarray(first + second)

    def link(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Phi(u)."""
        if self.loss == "exponential":
            return np.asarray(np.exp(u))
        return np.asarray(np.logaddexp(0.0, u) / _LN2)

    def implied_probability(
        self, h: NDArray[np.float64], r: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the P(y = +1) at which (h, r) would minimise the expected surrogate.

        Its log-odds are log Phi'(r + h) - log Phi'(r - h) - log(c_+ / c_-): the
        stationarity of the first term in h.
        """
        if self.loss == "exponential":
            odds = 2.0 * h
        else:
            odds = np.logaddexp(0.0, h - r) - np.logaddexp(0.0, -h - r)
        return np.asarray(_sigmoid(odds - self.log_cost_ratio))


def printed(cost: float, *, loss: str = "exponential", form: str = "sum") -> Surrogate:
    """Return the paper's own surrogate for an error of 1 and a reject cost in (0, 1/2).

    Raises
    ------
    ValueError
        When the cost is outside the open interval: at 1/2 and above a guess is
        never dearer than a reject.
    """
    if not (is_number(cost) and 0.0 < cost < 0.5):
        msg = (
            f"cost must lie strictly between 0 and 1/2, got {cost!r}: it is what a"
            " reject costs when an error costs 1"
        )
        raise ValueError(msg)
    b = 2.0 * sqrt((1.0 - cost) / cost)
    return Surrogate(loss, form, 1.0, 1.0, cost * b, cost * b, b)


def calibrated(costs: CostMatrix, *, loss: str = "exponential") -> Surrogate:
    """Return the surrogate whose minimiser is Bayes' decision for these costs."""
    _check_name("loss", loss, LOSSES)
    c_plus, c_minus = costs.false_negative, costs.false_positive
    bound = _geometric if loss == "exponential" else _harmonic
    pull_positive, pull_negative = _chord(
        lambda p: bound(p * c_plus, (1.0 - p) * c_minus), costs.p_minus, costs.p_plus
    )
    b = min(
        pull_positive / costs.reject_positive, pull_negative / costs.reject_negative
    )
    return Surrogate(loss, "sum", c_plus, c_minus, pull_positive, pull_negative, b)


def _check_name(kind: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise UnknownNameError(kind, name, known)


def _chord(
    curve: Callable[[float], float], left: float, right: float
) -> tuple[float, float]:
    """Return (K_+, K_-): the line p K_+ + (1 - p) K_- through two points of a curve."""
    at_left, at_right = curve(left), curve(right)
    slope = (at_right - at_left) / (right - left)
    at_zero = at_left - slope * left
    return at_zero + slope, at_zero


def _geometric(u: float, v: float) -> float:
    return 2.0 * sqrt(u * v)


def _harmonic(u: float, v: float) -> float:
    return 4.0 * u * v / (u + v)


def _sigmoid(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    small = np.exp(-np.abs(odds))
    return np.where(odds >= 0, 1.0, small) / (1.0 + small)
