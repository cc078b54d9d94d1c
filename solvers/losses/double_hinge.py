"""The double hinge: the two tangents to the log-loss at the costs' thresholds.

    y = +1:  max { -(1 - p_-) z + H(p_-),  -(1 - p_+) z + H(p_+),  0 }
    y = -1:  max {       p_+  z + H(p_+),        p_-  z + H(p_-),  0 }

Grandvalet et al. (2008), equations 7 and 8. Where its minimiser crosses ``logit(p_-)``
and ``logit(p_+)``, the cheapest decision changes.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from solvers.costs import CostMatrix, RowCosts
from solvers.losses.multi_hinge import tangent_rows
from solvers.losses.piecewise import PiecewiseLinear
from solvers.losses.registry import register

__all__ = ["DoubleHinge"]


@register("double-hinge")
@dataclass(frozen=True, slots=True)
class DoubleHinge:
    """The double hinge of labels -1 and +1, from the costs of the decisions.

    Parameters
    ----------
    costs : CostMatrix, or RowCosts of as many rows as there are labels
        Where rows have prices of their own, each has its tangents at its thresholds.
    """

    costs: CostMatrix | RowCosts = field(default_factory=CostMatrix)

    def rows(self, targets: ArrayLike) -> PiecewiseLinear:
        """Return one double hinge per label."""
        if isinstance(self.costs, RowCosts):
            return tangent_rows(self.costs.thresholds_in_p, targets)
        p = np.array([self.costs.p_minus, self.costs.p_plus])
        return tangent_rows(p, targets)

    def mirrored(self) -> "DoubleHinge":
        """Return the double hinge of the costs with both classes exchanged."""
        return DoubleHinge(self.costs.mirrored())
