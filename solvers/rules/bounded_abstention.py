"""Least cost with a limited share of reviews.

    min  cost of the decisions     subject to  rejected share <= max_reject_rate

exactly, over all pairs of thresholds: for each upper cut the lower cuts that keep the
limit are a window that moves with it, and the cost of the lower side is minimised over
that window. Source: the bounded-abstention model of Pietraszek (2005).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.counts import Counts, count
from solvers.rules.inputs import checked
from solvers.rules.parameter import as_number, parameter
from solvers.rules.window_minimum import window_minima

__all__ = ["BoundedAbstentionRule"]


@dataclass(eq=False)
class BoundedAbstentionRule(FittedByScores):
    """The cheapest band that rejects at most a given share of the rows.

    The limit holds on the scores the rule is fitted on; on new rows the share varies
    around it.

    Parameters
    ----------
    max_reject_rate : float in [0, 1], default=None
        The largest share of rows that may be rejected.
    costs : CostMatrix or mapping, default=None
        ``None``: every error costs 1 and a reject nothing, so the band makes the
        fewest errors that the limit allows.
    reviews_per_day, cases_per_day : float, default=None
        Instead of ``max_reject_rate``: its numerator and denominator.
    """

    kind: ClassVar[str] = "bounded-abstention"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "optional"

    max_reject_rate: float | None = field(
        default=None,
        metadata=parameter(
            "number", "Largest share of rejected rows.", minimum=0.0, maximum=1.0
        ),
    )
    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None,
        metadata=parameter("costs", "Prices; without them, the fewest errors."),
    )
    reviews_per_day: float | None = field(
        default=None,
        metadata=parameter(
            "number",
            "How many cases people can review a day; with cases_per_day, instead of"
            " max_reject_rate.",
            minimum=0.0,
        ),
    )
    cases_per_day: float | None = field(
        default=None,
        metadata=parameter(
            "number", "How many cases arrive a day.", minimum=0.0, open_below=True
        ),
    )

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose the thresholds from scores and labels in {-1, +1}."""
        self.limit_ = self._limit()
        counts = count(*checked(scores, y, sample_weight))
        self.band_ = _cheapest(counts, self._prices(), self.limit_)
        return self

    def facts(self) -> dict[str, Any]:
        """Return the limit that was kept."""
        return {"max_reject_rate": self.limit_}

    def _prices(self) -> tuple[float, float, float, float]:
        if self.costs is None:
            return 1.0, 1.0, 0.0, 0.0
        costs = as_costs(self.costs)
        return (
            costs.false_positive,
            costs.false_negative,
            costs.reject_positive,
            costs.reject_negative,
        )

    def _limit(self) -> float:
        reviews, cases = self.reviews_per_day, self.cases_per_day
        if self.max_reject_rate is not None:
            if reviews is not None or cases is not None:
                msg = "give max_reject_rate, or reviews and cases per day, not both"
                raise ValueError(msg)
            limit = as_number("max_reject_rate", self.max_reject_rate)
            if not 0.0 <= limit <= 1.0:
                msg = f"max_reject_rate must lie in [0, 1], got {self.max_reject_rate}"
                raise ValueError(msg)
            return limit
        if reviews is None or cases is None:
            msg = "give max_reject_rate, or both reviews_per_day and cases_per_day"
            raise ValueError(msg)
        reviews = as_number("reviews_per_day", reviews)
        cases = as_number("cases_per_day", cases)
        if not (cases > 0.0 and reviews >= 0.0):
            msg = f"reviews and cases per day must be positive: {reviews}, {cases}"
            raise ValueError(msg)
        return min(1.0, reviews / cases)


def _cheapest(
    counts: Counts, prices: tuple[float, float, float, float], limit: float
) -> Band:
    false_positive, false_negative, reject_positive, reject_negative = prices
    lower = (
        false_negative - reject_positive
    ) * counts.positive_below - reject_negative * counts.negative_below
    upper = (
        false_positive - reject_negative
    ) * counts.negative_above - reject_positive * counts.positive_above
    below = counts.positive_below + counts.negative_below
    # A share that is equal to the limit up to rounding keeps it.
    allowed = limit * below[-1] * (1.0 + 1e-12)
    last = np.arange(len(below))
    first = np.searchsorted(below, below - allowed, side="left")
    first = np.minimum(first, last)
    best = window_minima(lower, first, last)
    total = best + upper
    scale = float(np.abs(total).max())
    # Ties: the cut pair that rejects least.
    ties = np.flatnonzero(total <= total.min() + 1e-12 * scale)
    pairs = []
    for j in ties[:1000]:
        window = lower[first[j] : j + 1]
        i = int(first[j]) + _last_minimum(window)
        pairs.append((float(below[j] - below[i]), i, int(j)))
    _, i, j = min(pairs)
    return Band(counts.threshold(i), counts.threshold(j), closed=True)


def _last_minimum(values: np.ndarray) -> int:
    return len(values) - 1 - int(np.argmin(values[::-1]))
