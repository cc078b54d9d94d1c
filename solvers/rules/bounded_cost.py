"""Most cases decided, with an expected cost that is bounded with confidence.

    P( feasible and the true expected cost exceeds max_cost ) <= 1 - confidence

by a bound on the mean of losses in [0, largest_cost] (see ``tails``),
with the search of ``certified_search``. The bound needs to know beforehand how large
one cost can be; costs above it are refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.rules.band import Band
from solvers.rules.base import as_costs, as_number, open_share, parameter
from solvers.rules.certified_rule import CertifiedRule
from solvers.rules.certified_search import PairCounts, Pairs, Sample
from solvers.rules.tails import mean_loss_tail

__all__ = ["BoundedCostRule"]

Floats = NDArray[np.float64]


@dataclass(eq=False)
class BoundedCostRule(CertifiedRule):
    """A band whose expected cost is at most ``max_cost`` with a given confidence.

    Parameters
    ----------
    max_cost : float
        The largest expected cost per case, rejected cases included.
    costs : CostMatrix or mapping, default=None
        ``None``: an error costs 1, a reject 0.25.
    confidence : float in (0, 1), default=0.95
    largest_cost : float, default=None
        No single decision costs more; the largest of the four costs by default.

    Attributes
    ----------
    feasible_, promise_
        As of ``BoundedErrorRule``.
    """

    kind: ClassVar[str] = "bounded-cost"
    promises: ClassVar[bool] = True

    max_cost: float = field(
        metadata=parameter(
            "number",
            "Largest expected cost per case that is promised.",
            minimum=0.0,
            open_below=True,
        )
    )
    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None, metadata=parameter("costs", "The four prices of a decision.")
    )
    confidence: float = field(
        default=0.95, metadata=open_share("How sure the promise is.")
    )
    largest_cost: float | None = field(
        default=None,
        metadata=parameter(
            "number",
            "No decision costs more than this; costs above it are refused.",
            minimum=0.0,
            open_below=True,
        ),
    )

    def _certify(self, sample: Sample, delta: float) -> None:
        costs = as_costs(self.costs)
        self.bound_ = self._bound(costs)
        limit = as_number("max_cost", self.max_cost)
        if not limit > 0.0:
            msg = f"max_cost must be a positive number, got {self.max_cost!r}"
            raise ValueError(msg)

        def p_values(_: Pairs, counts: PairCounts) -> Floats:
            mean = counts.spent(costs) / (counts.rows * self.bound_)
            return mean_loss_tail(mean, round(counts.rows), limit / self.bound_)

        band = sample.best_band(p_values, _decided, delta)
        self.feasible_ = band is not None
        self.band_ = Band(-inf, inf, closed=True) if band is None else band
        self.promise_ = self._sentence()

    def facts(self) -> dict[str, Any]:
        """Return the promise or the infeasible answer, in words and figures."""
        return {
            "feasible": self.feasible_,
            "promise": self.promise_,
            "max_cost": float(self.max_cost),
            "largest_cost": self.bound_,
            **self._sample_facts(),
        }

    def _bound(self, costs: CostMatrix) -> float:
        largest = max(
            costs.false_positive,
            costs.false_negative,
            costs.reject_positive,
            costs.reject_negative,
        )
        if self.largest_cost is None:
            return largest
        bound = as_number("largest_cost", self.largest_cost)
        if largest > bound:
            msg = f"a cost of {largest:g} is above largest_cost = {bound:g}"
            raise InvalidCostsError(msg)
        return bound

    def _sentence(self) -> str:
        what = (
            f"the expected cost per case is at most {self.max_cost:g} (no decision"
            f" costs more than {self.bound_:g}), with {100 * self.confidence:.4g} %"
            " confidence"
        )
        if self.feasible_:
            return f"{what}: {self._scope()}"
        return f"{self._too_few()} {what}; every case is rejected"


def _decided(counts: PairCounts) -> Floats:
    return counts.decided
