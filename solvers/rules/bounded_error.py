"""Most cases decided, with an error that is bounded with confidence.

    P( feasible and the true error exceeds max_error ) <= 1 - confidence

for every number of rows and every distribution of scores, tied or not (see
``certified_search`` and ``error_demand``). It is promised for the scorer that made the
scores, on rows like those it is fitted on, which that scorer must never have seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil, inf, isfinite, log10
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs
from solvers.rules.certified_search import (
    PairCounts,
    Pairs,
    Split,
    certified,
    count_pairs,
    foreseen_counts,
    pairs_of,
    split_rows,
)
from solvers.rules.error_demand import ErrorDemand, demand_of
from solvers.rules.inputs import checked
from solvers.rules.parameter import parameter
from solvers.rules.tails import as_confidence

__all__ = ["BoundedErrorRule"]

Floats = NDArray[np.float64]


@dataclass(eq=False)
class BoundedErrorRule(FittedByScores):
    """A band whose error is at most ``max_error`` with a given confidence.

    Parameters
    ----------
    max_error : float in (0, 1), or {"+1": .., "-1": ..}
        The largest error rate, for both groups or for each.
    confidence : float in (0, 1), default=0.95
    by : {"all", "decision", "label"}, default="all"
        Whose error: of the decided rows; of those called +1 and those called -1; of
        the decided true +1 and the decided true -1 (a floor under sensitivity and
        specificity).
    costs : CostMatrix or mapping, default=None
        Of the pairs that keep the limit the cheapest is taken; without costs, the one
        that decides most.
    seed : int, default=0
        Of the split into rows that search and rows that count. The rows must be in no
        order that matters.

    Attributes
    ----------
    feasible_ : bool
        Where False, the rule rejects everything.
    promise_ : str
        What is promised, in words (or that nothing is).
    smallest_max_error_ : float or None
        Where not feasible: about the smallest ``max_error`` (for two limits: the
        larger one, both scaled alike) that fits on these rows. A figure to plan with:
        to promise it, fit on fresh rows.
    more_rows_ : int or None
        Where not feasible: about how many more labelled rows it would take; None
        where more rows alone will not do.
    """

    kind: ClassVar[str] = "bounded-error"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "optional"
    promises: ClassVar[bool] = True

    max_error: float | Mapping[str, float] = field(
        metadata=parameter(
            "number or by label",
            "Largest error rate that is promised.",
            minimum=0.0,
            maximum=1.0,
            open_below=True,
            open_above=True,
        )
    )
    confidence: float = field(
        default=0.95,
        metadata=parameter(
            "number",
            "How sure the promise is.",
            minimum=0.0,
            maximum=1.0,
            open_below=True,
            open_above=True,
        ),
    )
    by: str = field(
        default="all",
        metadata=parameter(
            "choice",
            "Whose error: all decided rows, by decision, or by true label.",
            choices=("all", "decision", "label"),
        ),
    )
    costs: CostMatrix | Mapping[str, float] | None = field(
        default=None,
        metadata=parameter("costs", "Prices; without them, most cases decided."),
    )
    seed: int = field(
        default=0,
        metadata=parameter("integer", "Seed of the inner split.", served=False),
    )

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Choose and certify the thresholds.

        Raises
        ------
        ValueError
            With weights: a count of rows cannot be weighted.
        """
        if sample_weight is not None:
            msg = "bounded-error counts rows: it takes no sample_weight"
            raise ValueError(msg)
        demand = demand_of(self.max_error, self.by)
        delta = 1.0 - as_confidence(self.confidence)
        values, positive, _ = checked(scores, y)
        split = split_rows(values, positive, self.seed)
        pairs = pairs_of(*split.selection)
        passed = certified(pairs, split, demand.p_values, self._wish, delta)
        self.feasible_ = len(passed) > 0
        self.smallest_max_error_: float | None = None
        self.more_rows_: int | None = None
        self._counted: dict[str, Any] = {}
        self.rows_ = len(values)
        self.counted_rows_ = len(split.testing[0])
        if self.feasible_:
            wanted = self._wish(count_pairs(pairs, values, positive))[passed]
            best = int(passed[int(np.argmax(wanted))])
            self.band_ = pairs.band(best)
            self._counted = _observed(demand, pairs, best, split)
        else:
            self.band_ = Band(-inf, inf, closed=True)
            self.smallest_max_error_ = self._smallest(demand, pairs, split, delta)
            foreseen = foreseen_counts(pairs, values, positive, len(values))
            needed = demand.rows_needed(pairs, foreseen, delta)
            share = self.counted_rows_ / self.rows_
            self.more_rows_ = _about(needed / share - self.rows_)
        self.promise_ = self._sentence(demand)
        return self

    def facts(self) -> dict[str, Any]:
        """Return the promise or the infeasible answer, in words and figures."""
        demand = demand_of(self.max_error, self.by)
        by_group = self.by != "all"
        return {
            "feasible": self.feasible_,
            "promise": self.promise_,
            "by": self.by,
            "max_error": demand.limits if by_group else demand.limits["all"],
            "confidence": float(self.confidence),
            "rows": self.rows_,
            "counted_rows": self.counted_rows_,
            "counted": self._counted,
            "smallest_max_error": self.smallest_max_error_,
            "more_rows": self.more_rows_,
        }

    def _wish(self, counts: PairCounts) -> Floats:
        if self.costs is None:
            return counts.decided
        costs = as_costs(self.costs)
        return np.negative(
            costs.false_negative * counts.false_negative
            + costs.reject_positive * counts.reject_positive
            + costs.false_positive * counts.false_positive
            + costs.reject_negative * counts.reject_negative
        )

    def _smallest(
        self, demand: ErrorDemand, pairs: Pairs, split: Split, delta: float
    ) -> float | None:
        """Return about the smallest limit that fits, by bisection."""
        largest = max(demand.limits.values())

        def fits(limit: float) -> bool:
            test = demand.scaled(limit / largest).p_values
            return len(certified(pairs, split, test, self._wish, delta)) > 0

        # Not below the resolution: 1.25 times the smallest double is itself again.
        low, high = largest, min(max(1.25 * largest, 5e-4), 0.999)
        while not fits(high):
            if high >= 0.999:
                return None
            low, high = high, min(1.25 * high, 0.999)
        while high - low > 5e-4:
            middle = (low + high) / 2.0
            low, high = (low, middle) if fits(middle) else (middle, high)
        rounded = ceil(1000.0 * high) / 1000.0
        return rounded if rounded < 1.0 and fits(rounded) else high

    def _sentence(self, demand: ErrorDemand) -> str:
        sure = f"with {100 * self.confidence:.4g} % confidence"
        if self.feasible_:
            return (
                f"{demand.sentence()}, {sure}: chosen on"
                f" {self.rows_ - self.counted_rows_} rows and counted on"
                f" {self.counted_rows_} others that the scorer never saw; it holds for"
                " cases drawn like them"
            )
        answer = (
            f"not promised: these {self.rows_} rows cannot back that"
            f" {demand.sentence()}, {sure}; every case is rejected"
        )
        if self.smallest_max_error_ is not None:
            answer += f"; they could back about {100 * self.smallest_max_error_:.3g} %"
        if self.more_rows_ is None:
            return answer + "; more rows alone are not likely to be enough"
        return answer + f"; about {self.more_rows_} more labelled rows may be enough"


def _observed(
    demand: ErrorDemand, pairs: Pairs, best: int, split: Split
) -> dict[str, Any]:
    """Return what was counted for the chosen pair on the testing rows."""
    one = Pairs(pairs.lower[best : best + 1], pairs.upper[best : best + 1])
    counts = count_pairs(one, *split.testing)
    groups: dict[str, Any] = {}
    for group in demand.limits:
        errors, trials = demand.group(counts, group)
        groups[group] = {"trials": int(trials[0]), "errors": int(errors[0])}
    return {"decided": int(counts.decided[0]), "groups": groups}


def _about(rows: float) -> int | None:
    """Return rows rounded up to two digits; None where infinite."""
    if not isfinite(rows):
        return None
    rows = max(rows, 1.0)
    unit = 10 ** max(int(log10(rows)) - 1, 0)
    return int(ceil(rows / unit) * unit)
