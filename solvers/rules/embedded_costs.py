"""The costs at which given thresholds would be the cheapest.

With rho(z) = P(-1) phi_N(z) / (P(+1) phi_P(z)), a false positive costing 1, and one
constraint, since two thresholds cannot tell three costs:

    CRN = CRP:  CRP = rho(f_+) / (1 + rho(f_+)),   CFN = CRP + CRP rho(f_-)       (15)
    CRN = eta:  CRP = (1 - eta) rho(f_+),          CFN = CRP + eta rho(f_-)       (16)

They are costs at which rejecting can pay off (11) exactly when rho(f_-) > rho(f_+),
which holds where the densities are well estimated, and is said where it does not.
Source: Xu and Hu (2013), section V.
"""

from dataclasses import dataclass
from math import isfinite
from typing import Any

from solvers.costs import CostMatrix
from solvers.rules.densities import ScoreDensities

__all__ = ["EmbeddedCosts", "embedded_costs"]


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
