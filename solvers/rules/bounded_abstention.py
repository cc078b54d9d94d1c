"""Least cost with a limited share of reviews.

    min  cost of the decisions     subject to  rejected share <= max_reject_rate

exactly, over all pairs of thresholds: for each upper cut the lower cuts that keep the
limit are a window that moves with it, and the cost of the lower side is minimised over
that window. Source: the bounded-abstention model of Pietraszek (2005).

The limit is kept on the rows that chose the band. On new cases the share varies about
what it is on those, and is above the limit about as often as not. With a
``confidence`` the limit holds for the share of all cases like these rows,

    P( true rejected share > max_reject_rate ) <= 1 - confidence,

by the search of ``certified_search``: pairs of thresholds, from those that reject least
on, each certified by an exact test on rows that did not choose it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError
from solvers.rules.band import Band
from solvers.rules.base import (
    Bools,
    Floats,
    as_costs,
    as_number,
    open_share,
    parameter,
)
from solvers.rules.certified_rule import CertifiedRule
from solvers.rules.certified_search import PairCounts, Pairs, Sample
from solvers.rules.counts import Counts, count
from solvers.rules.tails import as_confidence, binomial_tail

__all__ = ["BoundedAbstentionRule", "window_minima"]

Positions = NDArray[np.intp]


def window_minima(values: Floats, first: Positions, last: Positions) -> Floats:
    """Return ``min(values[first[k] : last[k] + 1])`` for each k; +inf where empty.

    Windows of one length class share a table: level L holds the minimum over 2^L
    entries from each position, and a window of length at least 2^L and below 2^(L+1) is
    covered by two of them. Only one level is kept at a time: O(n log n) time, O(n)
    memory.
    """
    length = last - first + 1
    answers = np.full(len(first), np.inf)
    level = np.frexp(np.maximum(length, 1).astype(np.float64))[1] - 1
    level = np.where(length > 0, level, -1)
    table = values.copy()
    for current in range(int(level.max(initial=-1)) + 1):
        chosen = np.flatnonzero(level == current)
        width = 1 << current
        answers[chosen] = np.minimum(
            table[first[chosen]], table[last[chosen] - width + 1]
        )
        table = np.minimum(table[:-width], table[width:])
    return answers


@dataclass(eq=False)
class BoundedAbstentionRule(CertifiedRule):
    """The cheapest band that rejects at most a given share of the rows.

    On average: the limit is kept on the scores that the rule is fitted on, and on new
    rows the share is above it about as often as below. For a limit that holds, give a
    ``confidence``.

    Parameters
    ----------
    max_reject_rate : float in [0, 1], default=None
        The largest share of rows that may be rejected.
    costs : CostMatrix or mapping, default=None
        ``None``: every error costs 1 and a reject nothing, so the band makes the
        fewest errors that the limit allows.
    reviews_per_day, cases_per_day : float, default=None
        Instead of ``max_reject_rate``: its numerator and denominator.
    confidence : float in (0, 1), default=None
        How sure it is to be that the share of all cases keeps the limit; the rows are
        then ones that the scorer never saw. ``None``: on average.
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
    confidence: float | None = field(
        default=None,
        metadata=open_share(
            "How sure it is that the share of all cases keeps the limit; left out, it"
            " keeps it on average."
        ),
    )

    @property
    def promised(self) -> bool:
        """Tell whether the limit is to hold with confidence."""
        return self.confidence is not None

    def _learn(self, scores: Floats, positive: Bools, weights: Floats | None) -> None:
        self.limit_ = self._limit()
        self._promise: dict[str, Any] = {}
        counts = count(scores, positive, weights)
        self.band_ = _cheapest(counts, self._prices(), self.limit_)

    def _certify(self, sample: Sample, delta: float) -> None:
        self.limit_ = self._limit()
        band = sample.best_band(self._doubt, self._saved, delta)
        if band is None:
            msg = (
                "a share of rejects with a confidence needs rows of two groups or more"
            )
            raise InfeasibleRuleError(msg)
        self.band_ = band
        sure = 100 * as_confidence(self.confidence)
        self._promise = {
            "promise": f"at most {100 * self.limit_:.4g} % of all cases are rejected,"
            f" with {sure:.4g} % confidence: {self._scope()}",
            "feasible": True,
            **self._sample_facts(),
        }

    def facts(self) -> dict[str, Any]:
        """Return the limit that was kept, and what is promised where anything is."""
        return {"max_reject_rate": self.limit_, **self._promise}

    def _doubt(self, pairs: Pairs, counts: PairCounts) -> Floats:
        """Return the p-values of "more is rejected than the limit allows"."""
        rejected = counts.reject_positive + counts.reject_negative
        doubt = binomial_tail(
            rejected, np.full_like(rejected, counts.rows), self.limit_
        )
        return np.where(pairs.lower >= pairs.upper, 0.0, doubt)

    def _saved(self, counts: PairCounts) -> Floats:
        false_positive, false_negative, reject_positive, reject_negative = (
            self._prices()
        )
        return np.negative(
            false_positive * counts.false_positive
            + false_negative * counts.false_negative
            + reject_positive * counts.reject_positive
            + reject_negative * counts.reject_negative
        )

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
