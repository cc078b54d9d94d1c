"""Most cases decided, with an error that is bounded with confidence.

    P( feasible and the true error exceeds max_error ) <= 1 - confidence

for every number of rows and every distribution of scores, tied or not: by
``certified_chain`` where one limit holds for all decided rows and as many as possible
are wanted, by ``certified_search`` otherwise; ``error_demand`` says what is limited. It
is promised for the scorer that made the scores, on rows like those it is fitted on,
which that scorer must never have seen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import ceil, inf
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.base import as_costs, open_share, parameter
from solvers.rules.certified_chain import SELECTION_SHARE as CHAIN_SHARE
from solvers.rules.certified_chain import chain_of
from solvers.rules.certified_rule import CertifiedRule
from solvers.rules.certified_search import (
    PairCounts,
    Pairs,
    Sample,
    Split,
    count_pairs,
)
from solvers.rules.error_demand import ErrorDemand, demand_of, more_rows

__all__ = ["BoundedErrorRule"]

Floats = NDArray[np.float64]
# The band that satisfies a demand at a level of the test, or none.
Find = Callable[[ErrorDemand, float], Band | None]


@dataclass(eq=False)
class BoundedErrorRule(CertifiedRule):
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
    more_rows_ : (int, int) or None
        Where not feasible: between how many and how many more labelled rows (groups)
        it is likely to take; None where these rows do not tell within a factor of ten.
    groups_ : int or None
        How many groups were counted, where groups were given.
    """

    kind: ClassVar[str] = "bounded-error"
    costs_use: ClassVar[Literal["needed", "symmetric", "optional"]] = "optional"
    promises: ClassVar[bool] = True

    max_error: float | Mapping[str, float] = field(
        metadata=open_share(
            "Largest error rate that is promised.", "number or by label"
        )
    )
    confidence: float = field(
        default=0.95, metadata=open_share("How sure the promise is.")
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

    def _selection_share(self) -> float:
        return CHAIN_SHARE if self._has_one_limit() else super()._selection_share()

    def _has_one_limit(self) -> bool:
        """Tell whether one limit holds for all decided rows, and most are wanted."""
        return self.by == "all" and self.costs is None

    def _certify(self, sample: Sample, delta: float) -> None:
        certain = bool(((sample.share == 0.0) | (sample.share == 1.0)).all())
        demand = demand_of(self.max_error, self.by, certain=certain)
        self.smallest_max_error_: float | None = None
        self.more_rows_: tuple[int, int] | None = None
        self._counted: dict[str, Any] = {}
        find = self._finder(sample)
        band = find(demand, delta)
        self.feasible_ = band is not None
        if band is not None:
            self.band_ = band
            self._counted = _observed(demand, band, sample.split)
        else:
            self.band_ = Band(-inf, inf, closed=True)
            self.smallest_max_error_ = _smallest(demand, find, delta)
            self.more_rows_ = more_rows(demand, sample.split, delta)
        self.promise_ = self._sentence(demand)

    def _finder(self, sample: Sample) -> Find:
        """Return what finds the band that decides most, or costs least."""
        if not self._has_one_limit():
            return lambda demand, delta: sample.best_band(
                demand.p_values, self._wish, delta
            )
        chain = chain_of(sample.split)

        def widest(demand: ErrorDemand, delta: float) -> Band | None:
            decided = chain.widest(demand.limits["all"], delta)
            return chain.band(decided) if decided else None

        return widest

    def facts(self) -> dict[str, Any]:
        """Return the promise or the infeasible answer, in words and figures."""
        demand = demand_of(self.max_error, self.by)
        by_group = self.by != "all"
        return {
            "feasible": self.feasible_,
            "promise": self.promise_,
            "by": self.by,
            "max_error": demand.limits if by_group else demand.limits["all"],
            **self._sample_facts(),
            "counted": self._counted,
            "smallest_max_error": self.smallest_max_error_,
            "more_rows": None if self.more_rows_ is None else list(self.more_rows_),
        }

    def _wish(self, counts: PairCounts) -> Floats:
        if self.costs is None:
            return counts.decided
        return np.negative(counts.spent(as_costs(self.costs)))

    def _sentence(self, demand: ErrorDemand) -> str:
        sure = f"with {100 * self.confidence:.4g} % confidence"
        if self.feasible_:
            return f"{demand.sentence()}, {sure}: {self._scope()}"
        answer = (
            f"{self._too_few()} {demand.sentence()}, {sure}; every case is rejected"
        )
        if self.smallest_max_error_ is not None:
            answer += f"; they could back about {100 * self.smallest_max_error_:.3g} %"
        if self.more_rows_ is None:
            return answer
        low, high = self.more_rows_
        return (
            answer + f"; {low} to {high} more labelled {self._units()} are likely to do"
        )


def _smallest(demand: ErrorDemand, find: Find, delta: float) -> float | None:
    """Return about the smallest limit that fits, by bisection."""
    largest = max(demand.limits.values())

    def fits(limit: float) -> bool:
        return find(demand.scaled(limit / largest), delta) is not None

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


def _observed(demand: ErrorDemand, band: Band, split: Split) -> dict[str, Any]:
    """Return what was counted for the chosen band on the testing rows."""
    one = Pairs(np.array([band.lower]), np.array([band.upper]))
    counts = count_pairs(one, *split.testing)
    groups: dict[str, Any] = {}
    for group in demand.limits:
        errors, trials = demand.counted(counts, group)
        groups[group] = {"trials": trials, "errors": errors}
    return {"decided": int(counts.decided[0]), "groups": groups}
