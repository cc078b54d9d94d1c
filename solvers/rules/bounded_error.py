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
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.rules.base import FittedByScores, as_costs, parameter
from solvers.rules.certified_chain import SELECTION_SHARE as CHAIN_SHARE
from solvers.rules.certified_chain import chain_of
from solvers.rules.certified_search import (
    SELECTION_SHARE,
    PairCounts,
    Pairs,
    Split,
    certified,
    count_pairs,
    pairs_of,
    split_rows,
)
from solvers.rules.error_demand import ErrorDemand, demand_of, more_rows
from solvers.rules.inputs import as_groups, shares_of
from solvers.rules.promise import drawn_like
from solvers.rules.tails import as_confidence

__all__ = ["BoundedErrorRule"]

Floats = NDArray[np.float64]
# The band that satisfies a demand at a level of the test, or none.
Find = Callable[[ErrorDemand, float], Band | None]


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

    def fit(
        self,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        keys: ArrayLike | None = None,
    ) -> Self:
        """Choose and certify the thresholds.

        Parameters
        ----------
        scores : array-like of shape (n_rows,)
        y : array-like of shape (n_rows,)
            Labels -1 and +1, or probabilities of +1.
        sample_weight : None
            There for the form's sake.
        groups : array-like of shape (n_rows,), optional
            Rows of one group were drawn together. The promise then counts groups, by
            one drawn row of each, and speaks of a row of a group drawn like them.
        keys : array-like of shape (n_rows,), optional
            What tells rows apart (see ``drawing.row_keys``). Which rows select and
            which count follows from them; from scores and labels without.

        Raises
        ------
        ValueError
            With weights: a count of rows cannot be weighted.
        """
        if sample_weight is not None:
            msg = "bounded-error counts rows: it takes no sample_weight"
            raise ValueError(msg)
        delta = 1.0 - as_confidence(self.confidence)
        values, share = shares_of(scores, y)
        certain = bool(((share == 0.0) | (share == 1.0)).all())
        demand = demand_of(self.max_error, self.by, certain=certain)
        together = as_groups(groups, len(values))
        self.smallest_max_error_: float | None = None
        self.more_rows_: tuple[int, int] | None = None
        self._counted: dict[str, Any] = {}
        one_limit = self.by == "all" and self.costs is None
        selecting = CHAIN_SHARE if one_limit else SELECTION_SHARE
        split = split_rows(values, share, together, keys, selecting)
        self.rows_, self.counted_rows_ = len(values), len(split.testing[0])
        self.groups_ = None if together is None else split.units
        find = self._widest(split) if one_limit else self._best(split, values, share)
        band = find(demand, delta)
        self.feasible_ = band is not None
        if band is not None:
            self.band_ = band
            self._counted = _observed(demand, band, split)
        else:
            self.band_ = Band(-inf, inf, closed=True)
            self.smallest_max_error_ = _smallest(demand, find, delta)
            self.more_rows_ = more_rows(demand, split, delta)
        self.promise_ = self._sentence(demand)
        return self

    def _widest(self, split: Split) -> Find:
        """Return what finds the band that decides most."""
        chain = chain_of(split)

        def find(demand: ErrorDemand, delta: float) -> Band | None:
            decided = chain.widest(demand.limits["all"], delta)
            return chain.band(decided) if decided else None

        return find

    def _best(self, split: Split, values: Floats, share: Floats) -> Find:
        """Return what finds the best of all pairs of thresholds."""
        pairs = pairs_of(*split.selection)

        def find(demand: ErrorDemand, delta: float) -> Band | None:
            passed = certified(pairs, split, demand.p_values, self._wish, delta)
            if not len(passed):
                return None
            wanted = self._wish(count_pairs(pairs, values, share))[passed]
            return pairs.band(int(passed[int(np.argmax(wanted))]))

        return find

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
            "groups": self.groups_,
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
        drawn = (self.rows_, self.counted_rows_, self.groups_)
        if self.feasible_:
            return f"{demand.sentence()}, {sure}: {drawn_like(*drawn)}"
        units = "rows" if self.groups_ is None else "groups"
        answer = (
            f"not promised: these {self.groups_ or self.rows_} {units} cannot back that"
            f" {demand.sentence()}, {sure}; every case is rejected"
        )
        if self.smallest_max_error_ is not None:
            answer += f"; they could back about {100 * self.smallest_max_error_:.3g} %"
        if self.more_rows_ is None:
            return answer
        low, high = self.more_rows_
        return answer + f"; {low} to {high} more labelled {units} are likely to do"


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
        errors, trials = demand.group(counts, group)
        groups[group] = {"trials": _count(trials[0]), "errors": _count(errors[0])}
    return {"decided": int(counts.decided[0]), "groups": groups}


def _count(rows: float) -> int | float:
    """Return a whole number as one; of uncertain labels, a sum of probabilities."""
    return int(rows) if float(rows).is_integer() else round(float(rows), 3)
