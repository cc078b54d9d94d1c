"""The band of least expected cost on the given scores.

    EC(f_-, f_+) = c_+ P(f < f_-, +1) + c_- P(f >= f_+, -1)
                   + r_+ P(f_- <= f < f_+, +1) + r_- P(f_- <= f < f_+, -1)

``method="roc"`` is the exact minimum over all pairs of thresholds, found on the ROC
convex hull, so that a change of costs needs no refit.
Sources: Xu and Hu (2013), equation (12); Tortorella (2004).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.errors import UnknownNameError
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.counts import count
from solvers.rules.inputs import checked
from solvers.rules.parameter import parameter
from solvers.rules.roc_hull import RocHull, hull_of

__all__ = ["ExpectedCostRule"]

METHODS = ("roc",)


@dataclass(eq=False)
class ExpectedCostRule(FittedByScores):
    """Least expected cost over both thresholds.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        ``None``: an error costs 1, a reject 0.25.
    method : {"roc"}, default="roc"
        The exact empirical minimum. No rejection and rejecting everything are among
        its candidates.
    """

    kind: ClassVar[str] = "expected-cost"

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    method: str = field(
        default="roc",
        metadata=parameter("choice", "How the minimum is found.", choices=METHODS),
    )

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the thresholds from scores and labels in {-1, +1}."""
        if self.method not in METHODS:
            what = "method"
            raise UnknownNameError(what, self.method, METHODS)
        values, positive, weights = checked(scores, y, sample_weight)
        costs = as_costs(self.costs)
        self.hull_: RocHull | None = hull_of(count(values, positive, weights))
        self.band_ = self.hull_.best(costs)
        return self

    def facts(self) -> dict[str, Any]:
        """Return the method and the hull, from which other costs can be served."""
        hull = None if self.hull_ is None else self.hull_.payload()
        return {"method": self.method, "hull": hull}
