"""The rule of Bartlett and Wegkamp for the symmetric double hinge.

    reject if |f| <= delta H(r) / r,     H(r) = -r log r - (1 - r) log(1 - r)

Their loss reaches zero at margin 1 where the double hinge reaches it at H(r) / r, so
their threshold ``delta`` on their score is ``delta H(r) / r`` on ours; ``r`` is the
reject cost over the error cost. At delta = 1/2 the rule equals the plug-in rule for
r near 0.24, rejects fewer rows below it and more above.

Source: Bartlett and Wegkamp (2008); Grandvalet et al. (2008), "a close relative".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any, ClassVar, Literal, Self

from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.inputs import as_scores
from solvers.rules.parameter import as_number, parameter

__all__ = ["BartlettWegkampRule"]


@dataclass(eq=False)
class BartlettWegkampRule(FittedByScores):
    """A symmetric band around zero, fixed by the symmetric costs.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        Both classes must have the same costs.
    delta : float, default=0.5
        The threshold in the rule's own scale, where the loss reaches zero at 1.

    Raises
    ------
    InvalidCostsError
        In ``fit``, when the costs of the two classes differ.
    """

    kind: ClassVar[str] = "bartlett-wegkamp"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "symmetric"
    learns: ClassVar[bool] = False

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None,
        metadata=parameter("costs", "The prices, the same for both classes."),
    )
    delta: float = field(
        default=0.5,
        metadata=parameter(
            "number",
            "Threshold in the scale where the loss reaches zero at 1.",
            minimum=0.0,
            maximum=1.0,
        ),
    )

    def fit(
        self,
        scores: ArrayLike | None = None,
        y: ArrayLike | None = None,  # noqa: ARG002 - the protocol's signature
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Self:
        """Set the thresholds; they depend on the costs and delta alone."""
        if scores is not None:
            as_scores(scores)
        costs = as_costs(self.costs)
        if not costs.is_symmetric:
            msg = (
                "the bartlett-wegkamp rule needs the same costs for both classes, got"
                f" {costs}; use the plug-in rule"
            )
            raise InvalidCostsError(msg)
        if not 0.0 <= as_number("delta", self.delta) <= 1.0:
            msg = f"delta must lie in [0, 1], got {self.delta!r}"
            raise ValueError(msg)
        r = costs.reject_positive / costs.false_positive
        entropy = -r * log(r) - (1.0 - r) * log(1.0 - r)
        half_width = self.delta * entropy / r
        self.band_ = Band(-half_width, half_width)
        return self

    def facts(self) -> dict[str, Any]:
        """Return delta."""
        return {"delta": float(self.delta)}
