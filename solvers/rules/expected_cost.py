"""The band of least expected cost on the given scores.

    EC(f_-, f_+) = c_+ P(f < f_-, +1) + c_- P(f >= f_+, -1)
                   + r_+ P(f_- <= f < f_+, +1) + r_- P(f_- <= f < f_+, -1)

``method="roc"`` is the exact minimum over all pairs of thresholds, found on the ROC
convex hull, so that a change of costs needs no refit. ``method="newton"`` minimises it
on Parzen densities, with gradient (13) and Hessian (14).
Sources: Xu and Hu (2013), equations (12)-(14); Tortorella (2004).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.errors import UnknownNameError
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.counts import count
from solvers.rules.densities import ScoreDensities, estimate_densities
from solvers.rules.inputs import checked
from solvers.rules.objectives import CostObjective
from solvers.rules.parameter import parameter
from solvers.rules.roc_hull import RocHull, hull_of
from solvers.rules.smooth_optimum import maximise_band

__all__ = ["ExpectedCostRule"]

METHODS = ("roc", "newton")


@dataclass(eq=False)
class ExpectedCostRule(FittedByScores):
    """Least expected cost over both thresholds.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        ``None``: an error costs 1, a reject 0.25.
    method : {"roc", "newton"}, default="roc"
        The exact empirical minimum, or the minimum on Parzen densities. No rejection
        and rejecting everything are among the candidates of both.

    Attributes
    ----------
    hull_ : RocHull or None
        The ROC convex hull ("roc").
    densities_ : ScoreDensities or None
        The Parzen densities ("newton").
    n_iter_ : int
        Newton iterations of the best start (0 for "roc").
    """

    kind: ClassVar[str] = "expected-cost"

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    method: str = field(
        default="roc",
        metadata=parameter(
            "choice",
            "roc: the exact empirical minimum; newton: on smoothed densities.",
            choices=METHODS,
        ),
    )

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the thresholds from scores and labels in {-1, +1}."""
        if self.method not in METHODS:
            what = "method"
            raise UnknownNameError(what, self.method, METHODS)
        values, positive, weights = checked(scores, y, sample_weight)
        self.hull_: RocHull | None = None
        self.densities_: ScoreDensities | None = None
        if self.method == "roc":
            self.hull_ = hull_of(count(values, positive, weights))
        else:
            self.densities_ = estimate_densities(values, positive, weights)
        return self._choose()

    def at_costs(self, costs: CostMatrix | Mapping[str, float]) -> "ExpectedCostRule":
        """Return the rule at other costs, without the scores it was fitted on."""
        fitted = self.fitted  # raises where there is nothing to re-use
        other = ExpectedCostRule(costs, self.method)
        other.band_ = fitted
        other.hull_, other.densities_ = self.hull_, self.densities_
        return other._choose()

    def facts(self) -> dict[str, Any]:
        """Return the method and the hull, from which other costs can be served."""
        hull = None if self.hull_ is None else self.hull_.payload()
        return {"method": self.method, "hull": hull}

    def _choose(self) -> Self:
        costs = as_costs(self.costs)
        self.n_iter_ = 0
        if self.hull_ is not None:
            self.band_ = self.hull_.best(costs)
        elif self.densities_ is not None:
            optimum = maximise_band(CostObjective(self.densities_, costs))
            self.band_ = Band(optimum.lower, optimum.upper, closed=True)
            self.n_iter_ = optimum.iterations
        return self
