"""The costs at which given thresholds would be the cheapest.

With rho(z) = P(-1) phi_N(z) / (P(+1) phi_P(z)), a false positive costing 1, and one
constraint, since two thresholds cannot tell three costs:

    CRN = CRP:  CRP = rho(f_+) / (1 + rho(f_+)),   CFN = CRP + CRP rho(f_-)       (15)
    CRN = eta:  CRP = (1 - eta) rho(f_+),          CFN = CRP + eta rho(f_-)       (16)

They are costs at which rejecting can pay off (11) exactly when rho(f_-) > rho(f_+),
which holds where the densities are well estimated, and is said where it does not.
Source: Xu and Hu (2013), section V.

The double hinge loss that belongs to a cost matrix is

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
from math import isfinite, log
from typing import Any

from solvers.costs import CostMatrix
from solvers.rules.densities import ScoreDensities

__all__ = ["DoubleHingeShape", "EmbeddedCosts", "double_hinge_of", "embedded_costs"]


@dataclass(frozen=True, slots=True)
class EmbeddedCosts:
    """Costs read off two thresholds; ``false_positive`` is 1.

    Attributes
    ----------
    constraint : str
        "equal reject costs" or "reject_negative fixed".
    admissible : bool
        Whether they satisfy (11). Where not, they are figures, not usable costs.
    """

    false_negative: float
    reject_positive: float
    reject_negative: float
    constraint: str
    admissible: bool
    false_positive: float = 1.0

    def costs(self) -> CostMatrix:
        """Return them as a CostMatrix; raises InvalidCostsError where (11) fails."""
        return CostMatrix(
            self.false_positive,
            self.false_negative,
            self.reject_positive,
            self.reject_negative,
        )

    def payload(self) -> dict[str, Any]:
        """Return them as JSON-able facts; an infinite cost is null."""
        names = (
            "false_positive",
            "false_negative",
            "reject_positive",
            "reject_negative",
        )
        values = {name: float(getattr(self, name)) for name in names}
        return {
            **{name: v if isfinite(v) else None for name, v in values.items()},
            "constraint": self.constraint,
            "admissible": self.admissible,
        }


def embedded_costs(
    densities: ScoreDensities,
    lower: float,
    upper: float,
    reject_negative: float | None = None,
) -> EmbeddedCosts:
    """Return the costs embedded in two thresholds.

    Parameters
    ----------
    densities : ScoreDensities
    lower, upper : float
        f_- and f_+.
    reject_negative : float in (0, 1), optional
        Constraint (16) with this eta; ``None``: both reject costs are equal (15).
    """
    low, high = densities.odds_of_negative(lower), densities.odds_of_negative(upper)
    if reject_negative is None:
        reject_positive = high / (1.0 + high) if isfinite(high) else 1.0
        reject_negative, constraint = reject_positive, "equal reject costs"
    else:
        if not 0.0 < reject_negative < 1.0:
            msg = f"reject_negative must lie in (0, 1), got {reject_negative!r}"
            raise ValueError(msg)
        reject_positive = (1.0 - reject_negative) * high
        constraint = "reject_negative fixed"
    false_negative = reject_positive + reject_negative * low
    return EmbeddedCosts(
        false_negative,
        reject_positive,
        reject_negative,
        constraint,
        admissible=bool(isfinite(low) and 0.0 < high < low),
    )


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
