"""The rule that a joint booster has learnt together with its score.

    reject if r(x) <= 0,   else +1 if h(x) > 0,   else -1

Nothing is left to fit: the costs are in r already.
Source: Cortes, DeSalvo and Mohri (2016).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, Self

from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.rules.band import Band, Scale
from solvers.rules.base import FittedByScores
from solvers.rules.inputs import as_scores
from solvers.rules.parameter import parameter

__all__ = ["EmbeddedRule"]


@dataclass(eq=False)
class EmbeddedRule(FittedByScores):
    """Reject where the learnt reject function is not positive.

    ``decide`` takes h(x) and, as its second argument, r(x).

    Parameters
    ----------
    costs : CostMatrix or mapping, default=None
        The costs that the booster was trained with; they change nothing here.
    """

    kind: ClassVar[str] = "embedded"
    on: ClassVar[Scale] = "reject-function"
    learns: ClassVar[bool] = False

    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The costs trained with.")
    )

    def fit(
        self,
        scores: ArrayLike | None = None,
        y: ArrayLike | None = None,  # noqa: ARG002 - the protocol's signature
        sample_weight: ArrayLike | None = None,  # noqa: ARG002
    ) -> Self:
        """Check the scores, when given; there is nothing to choose."""
        if scores is not None:
            as_scores(scores)
        self.band_ = Band(-inf, inf, on="reject-function")
        return self
