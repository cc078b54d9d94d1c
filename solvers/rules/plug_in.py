"""The plug-in rule: the score is the log-odds, so the thresholds follow from the costs.

    +1 if f > logit(p_+) / a,   -1 if f < logit(p_-) / a,   else reject

Source: Grandvalet et al. (2008), equation (9), with a = 1; the slope ``a`` of a machine
with its own link P(y = +1) = 1 / (1 + exp(-a f)) is Niaf et al. (2011), equation (2).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.inputs import as_scores
from solvers.rules.parameter import as_number, parameter

__all__ = ["PlugInRule"]


@dataclass(eq=False)
class PlugInRule(FittedByScores):
    """Thresholds at the log-odds of the two cost-optimal probabilities.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        ``None``: an error costs 1, a reject 0.25.
    slope : float, default=1.0
        The link's slope: P(y = +1) = 1 / (1 + exp(-slope * score)).
    """

    kind: ClassVar[str] = "plug-in"
    learns: ClassVar[bool] = False

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    slope: float = field(
        default=1.0,
        metadata=parameter(
            "number", "Slope of the scorer's own link.", minimum=0.0, served=False
        ),
    )

    def fit(
        self,
        scores: ArrayLike | None = None,
        y: ArrayLike | None = None,  # noqa: ARG002 - the protocol's signature
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Self:
        """Set the thresholds; they depend on the costs alone."""
        if scores is not None:
            as_scores(scores)
        if not as_number("slope", self.slope) > 0.0:
            msg = f"slope must be a positive number, got {self.slope!r}"
            raise ValueError(msg)
        lower, upper = as_costs(self.costs).thresholds
        self.band_ = Band(lower / self.slope, upper / self.slope)
        return self

    def facts(self) -> dict[str, Any]:
        """Return the slope of the link."""
        return {"slope": float(self.slope)}
