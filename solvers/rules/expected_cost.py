"""The cheapest bands on given scores: of any two thresholds, and symmetric about 0.

``ExpectedCostRule`` is the band of least expected cost,

    EC(f_-, f_+) = c_+ P(f < f_-, +1) + c_- P(f >= f_+, -1)
                   + r_+ P(f_- <= f < f_+, +1) + r_- P(f_- <= f < f_+, -1)

``method="roc"`` is the exact minimum over all pairs of thresholds, found on the ROC
convex hull, so that a change of costs needs no refit. ``method="newton"`` minimises it
on Parzen densities, with gradient (13) and Hessian (14).
Sources: Xu and Hu (2013), equations (12)-(14); Tortorella (2004).

``SymmetricRule`` rejects |f| < t, with the t of least cost,

    min_t  sum_i cost( decision of f_i at t, y_i ),     t in [0, inf]

exactly, over every t that changes a decision; t = 0 rejects nothing and is among them.
Among equal costs the smallest t is taken, so a higher reject cost never rejects more.
With AdaBoost's score it is the two-step baseline of Cortes, DeSalvo and Mohri (2016).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.errors import UnknownNameError
from solvers.rules.band import Band
from solvers.rules.base import LearnedRule, as_costs, parameter
from solvers.rules.counts import between, count
from solvers.rules.densities import ScoreDensities, estimate_densities
from solvers.rules.objectives import CostObjective
from solvers.rules.repricing import RocHull, hull_of
from solvers.rules.smooth_optimum import maximise_band

__all__ = ["ExpectedCostRule", "SymmetricRule"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

METHODS = ("roc", "newton")


@dataclass(eq=False)
class ExpectedCostRule(LearnedRule):
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

    def _learn(self, scores: Floats, positive: Bools, weights: Floats | None) -> None:
        if self.method not in METHODS:
            what = "method"
            raise UnknownNameError(what, self.method, METHODS)
        self.hull_: RocHull | None = None
        self.densities_: ScoreDensities | None = None
        if self.method == "roc":
            self.hull_ = hull_of(count(scores, positive, weights))
        else:
            self.densities_ = estimate_densities(scores, positive, weights)
        self._choose()

    def at_costs(self, costs: CostMatrix | Mapping[str, float]) -> "ExpectedCostRule":
        """Return the rule at other costs, without the scores it was fitted on."""
        fitted = self.fitted  # raises where there is nothing to re-use
        other = ExpectedCostRule(costs, self.method)
        other.band_ = fitted
        other.hull_, other.densities_ = self.hull_, self.densities_
        other._choose()
        return other

    def facts(self) -> dict[str, Any]:
        """Return the method and the hull, from which other costs can be served."""
        hull = None if self.hull_ is None else self.hull_.payload()
        return {"method": self.method, "hull": hull}

    def _choose(self) -> None:
        costs = as_costs(self.costs)
        self.n_iter_ = 0
        if self.hull_ is not None:
            self.band_ = self.hull_.best(costs)
        elif self.densities_ is not None:
            optimum = maximise_band(CostObjective(self.densities_, costs))
            self.band_ = Band(optimum.lower, optimum.upper, closed=True)
            self.n_iter_ = optimum.iterations


@dataclass(eq=False)
class SymmetricRule(LearnedRule):
    """A band around zero, as wide as is cheapest.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        ``None``: an error costs 1, a reject 0.25.
    """

    kind: ClassVar[str] = "symmetric"

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )

    def _learn(self, scores: Floats, positive: Bools, weights: Floats | None) -> None:
        costs = as_costs(self.costs)
        decided = np.where(scores >= 0.0, 1, -1)
        signs = np.where(positive, 1, -1)
        answered = costs.of_decisions(signs, decided)
        rejected = costs.of_decisions(signs, np.zeros_like(decided))
        # What rejecting each row changes, in the order in which rows get rejected.
        change = rejected - answered
        if weights is not None:
            change *= weights
        width = np.abs(scores)
        order = np.argsort(width, kind="stable")
        width = width[order]
        total = np.concatenate(([0.0], np.cumsum(change[order])))
        legal = np.concatenate(([True], width[1:] != width[:-1], [True]))
        cuts = np.flatnonzero(legal)
        scale = float(np.abs(total).max())
        cheapest = total[cuts] <= total[cuts].min() + 1e-12 * scale
        cut = int(cuts[np.flatnonzero(cheapest)[0]])
        self.band_ = self._band(width, cut)

    @staticmethod
    def _band(width: np.ndarray, cut: int) -> Band:
        if cut == 0:
            return Band(0.0, 0.0, closed=True)
        if cut == len(width):
            return Band(-inf, inf, closed=True)
        t = between(float(width[cut - 1]), float(width[cut]))
        # v = -t is decided too where t is a score: "v < lower" is meant to hold then.
        return Band(float(np.nextafter(-t, inf)), t, closed=True)
