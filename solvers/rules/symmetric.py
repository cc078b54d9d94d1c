"""The naive band: reject |f| < t, with the t of least cost on the given scores.

    min_t  sum_i cost( decision of f_i at t, y_i ),     t in [0, inf]

exactly, over every t that changes a decision; t = 0 rejects nothing and is among them.
Among equal costs the smallest t is taken, so a higher reject cost never rejects more.
With AdaBoost's score it is the two-step baseline of Cortes, DeSalvo and Mohri (2016).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.counts import between
from solvers.rules.inputs import checked
from solvers.rules.parameter import parameter

__all__ = ["SymmetricRule"]


@dataclass(eq=False)
class SymmetricRule(FittedByScores):
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

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the width from scores and labels in {-1, +1}."""
        values, positive, weights = checked(scores, y, sample_weight)
        costs = as_costs(self.costs)
        decided = np.where(values >= 0.0, 1, -1)
        signs = np.where(positive, 1, -1)
        answered = costs.of_decisions(signs, decided)
        rejected = costs.of_decisions(signs, np.zeros_like(decided))
        # What rejecting each row changes, in the order in which rows get rejected.
        change = rejected - answered
        if weights is not None:
            change *= weights
        width = np.abs(values)
        order = np.argsort(width, kind="stable")
        width = width[order]
        total = np.concatenate(([0.0], np.cumsum(change[order])))
        legal = np.concatenate(([True], width[1:] != width[:-1], [True]))
        cuts = np.flatnonzero(legal)
        scale = float(np.abs(total).max())
        cheapest = total[cuts] <= total[cuts].min() + 1e-12 * scale
        cut = int(cuts[np.flatnonzero(cheapest)[0]])
        self.band_ = self._band(width, cut)
        return self

    @staticmethod
    def _band(width: np.ndarray, cut: int) -> Band:
        if cut == 0:
            return Band(0.0, 0.0, closed=True)
        if cut == len(width):
            return Band(-inf, inf, closed=True)
        t = between(float(width[cut - 1]), float(width[cut]))
        # v = -t is decided too where t is a score: "v < lower" is meant to hold then.
        return Band(float(np.nextafter(-t, inf)), t, closed=True)
