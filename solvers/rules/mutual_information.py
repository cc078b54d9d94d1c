"""The thresholds that tell most about the truth, without any costs.

    max  I_m(f_-, f_+)     subject to  f_- <= f_+                                 (5)

``method="newton"`` maximises it on Parzen densities; the smoothing generalises better
than the empirical optimum, above all on few rows. ``method="exact"`` is the empirical
optimum. Source: Xu and Hu (2013).
"""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, ClassVar, Literal, Self

from numpy.typing import ArrayLike

from solvers.errors import UnknownNameError
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores
from solvers.rules.densities import ScoreDensities, estimate_densities
from solvers.rules.embedded_costs import EmbeddedCosts, embedded_costs
from solvers.rules.exact_information import best_information_band
from solvers.rules.inputs import checked
from solvers.rules.objectives import InformationObjective
from solvers.rules.parameter import parameter
from solvers.rules.smooth_optimum import maximise_band

__all__ = ["MutualInformationRule"]

METHODS = ("newton", "exact")


@dataclass(eq=False)
class MutualInformationRule(FittedByScores):
    """Most modified mutual information between truth and decision.

    Parameters
    ----------
    method : {"newton", "exact"}, default="newton"
        On Parzen densities, or the exact empirical optimum.

    Attributes
    ----------
    densities_ : ScoreDensities
        Parzen densities of the scores (made on first use where the method is exact).
    n_iter_ : int
        Newton iterations of the best start (0 where the method is exact).
    """

    kind: ClassVar[str] = "mutual-information"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "optional"

    method: str = field(
        default="newton",
        metadata=parameter(
            "choice",
            "newton: on smoothed densities; exact: the empirical optimum.",
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
        self._rows = values, positive, weights
        self._densities: ScoreDensities | None = None
        self.n_iter_ = 0
        if self.method == "exact":
            self.band_ = best_information_band(values, positive, weights)
            return self
        optimum = maximise_band(InformationObjective(self.densities_))
        self.band_ = Band(optimum.lower, optimum.upper, closed=True)
        self.n_iter_ = optimum.iterations
        return self

    @property
    def densities_(self) -> ScoreDensities:
        """Return the Parzen densities of the scores the rule was fitted on."""
        if self._densities is None:
            self._densities = estimate_densities(*self._rows)
        return self._densities

    def embedded_costs(self, reject_negative: float | None = None) -> EmbeddedCosts:
        """Return the costs at which these thresholds are cheapest.

        Parameters
        ----------
        reject_negative : float in (0, 1), optional
            Fix this cost (16); ``None``: both reject costs are equal (15).
        """
        band = self.fitted
        return embedded_costs(self.densities_, band.lower, band.upper, reject_negative)

    def facts(self) -> dict[str, Any]:
        """Return the method and the embedded costs under both constraints."""
        facts: dict[str, Any] = {"method": self.method, "embedded_costs": None}
        if isfinite(self.lower_) and isfinite(self.upper_):
            facts["embedded_costs"] = {
                "equal_reject_costs": self.embedded_costs().payload(),
                "reject_negative_fixed": self.embedded_costs(0.4).payload(),
            }
        return facts
