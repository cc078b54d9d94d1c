"""The double hinge loss that belongs to a cost matrix.

    T_r1 = p_-,   1 - T_r2 = p_+                                                  (18)
    l_-  = max(T_r1 f + H(T_r1), (1 - T_r2) f + H(1 - T_r2), 0)                   (19)
    l_+  = max(-(1 - T_r1) f + H(T_r1), -T_r2 f + H(1 - T_r2), 0)
    f_-  = log(T_r1 / (1 - T_r1)),   f_+ = log((1 - T_r2) / T_r2)                 (20)
    f_1  = f_- + log(1 - T_r1) / T_r1,   f_2 = f_+ - log(1 - T_r2) / T_r2         (21)
    f_3  = (-T_r1 f_- - T_r2 f_+ + log((1 - T_r2) / (1 - T_r1))) / (1 - T_r1 - T_r2)

so thresholds found without costs name, through their embedded costs, the machine that
would have been trained with them. Source: Xu and Hu (2013), section V.A.
"""

from dataclasses import dataclass
from math import log

from solvers.costs import CostMatrix

__all__ = ["DoubleHingeShape", "double_hinge_of"]


@dataclass(frozen=True, slots=True)
class DoubleHingeShape:
    """Thresholds and hinge points of the dual double-hinge losses.

    Attributes
    ----------
    reject_below, reject_above : float
        T_r1 and T_r2: +1 from 1 - T_r2 on, -1 below T_r1.
    lower, upper : float
        f_- and f_+.
    zero_of_negative, zero_of_positive : float
        f_1 and f_2: where the loss of a true -1 (+1) reaches zero.
    middle : float
        f_3: where the two sloping pieces of either loss meet.
    """

    reject_below: float
    reject_above: float
    lower: float
    upper: float
    zero_of_negative: float
    zero_of_positive: float
    middle: float


def double_hinge_of(costs: CostMatrix) -> DoubleHingeShape:
    """Return the shape of the double hinge at these costs."""
    t1, t2 = costs.p_minus, 1.0 - costs.p_plus
    lower, upper = costs.thresholds
    middle = -t1 * lower - t2 * upper + log((1.0 - t2) / (1.0 - t1))
    return DoubleHingeShape(
        reject_below=t1,
        reject_above=t2,
        lower=lower,
        upper=upper,
        zero_of_negative=lower + log(1.0 - t1) / t1,
        zero_of_positive=upper - log(1.0 - t2) / t2,
        middle=middle / (1.0 - t1 - t2),
    )
