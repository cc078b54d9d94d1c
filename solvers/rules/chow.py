"""Chow's rule on a calibrated probability of +1.

    +1 if p > p_+,   -1 if p < p_-,   else reject

with the cost-optimal probabilities, or with ``p_- = t``, ``p_+ = 1 - t``: reject when
the larger posterior does not exceed 1 - t.

Source: Chow (1970); with general costs Grandvalet et al. (2008), equation (4).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.rules.band import Band, Scale
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.inputs import as_scores
from solvers.rules.parameter import as_number, parameter

__all__ = ["ChowRule"]


@dataclass(eq=False)
class ChowRule(FittedByScores):
    """The optimal rule where the probability is right.

    ``fit`` and ``decide`` take probabilities of +1, not scores.

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        With neither parameter: an error costs 1, a reject 0.25.
    reject_threshold : float in (0, 0.5], default=None
        Reject when the larger posterior is at most ``1 - reject_threshold``.
        Instead of costs, not beside them.
    """

    kind: ClassVar[str] = "chow"
    on: ClassVar[Scale] = "probability"
    learns: ClassVar[bool] = False

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    reject_threshold: float | None = field(
        default=None,
        metadata=parameter(
            "number",
            "Reject when the larger posterior is at most 1 minus this; instead of"
            " costs.",
            minimum=0.0,
            open_below=True,
            maximum=0.5,
        ),
    )

    def fit(
        self,
        scores: ArrayLike | None = None,
        y: ArrayLike | None = None,  # noqa: ARG002 - the protocol's signature
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Self:
        """Set the thresholds; ``scores``, when given, must be probabilities."""
        if scores is not None:
            p = as_scores(scores)
            if np.any((p < 0) | (p > 1)):
                msg = "the chow rule acts on probabilities: values must lie in [0, 1]"
                raise ValueError(msg)
        if self.reject_threshold is None:
            costs = as_costs(self.costs)
            lower, upper = costs.p_minus, costs.p_plus
        else:
            lower = self._threshold()
            upper = 1.0 - lower
        self.band_ = Band(lower, upper, on="probability")
        return self

    def facts(self) -> dict[str, Any]:
        """Return the reject threshold where the rule has one."""
        if self.reject_threshold is None:
            return {}
        return {"reject_threshold": float(self.reject_threshold)}

    def _threshold(self) -> float:
        threshold = as_number("reject_threshold", self.reject_threshold)
        if self.costs is not None:
            msg = "give either costs or reject_threshold, not both"
            raise ValueError(msg)
        if not 0.0 < threshold <= 0.5:
            msg = f"reject_threshold must lie in (0, 0.5], got {threshold!r}"
            raise ValueError(msg)
        return threshold
