"""From scores and decisions to the rows of an answer.

Expected costs (``app.predict.expected``) are computed from the very probability that is
answered. ``expected_cost`` is that of the decision taken, which a rule on the score may
take against it: then a warning says so. A guard's reject is no decision of the rule: no
warning then.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

import msgspec

from app.artifacts.model import Label, Labels
from app.errors import FieldError, InvalidRequestError
from app.errors.faults import unusable
from app.features.encoding import RowNote
from app.guards.guards import CAUSES
from app.predict.expected import dearer, expected, likelier
from app.predict.pricing import Pricing

__all__ = [
    "NAMES",
    "REASONS",
    "Distances",
    "ExpectedCosts",
    "JudgedRow",
    "Prediction",
    "Prices",
    "Tally",
    "not_cheapest",
    "overflown",
    "prediction",
]

NAMES = {1: "+1", -1: "-1", 0: "reject"}
"""Decisions as they are told, in the order of ``app.predict.expected``."""
REASONS = ("ambiguous", *CAUSES)
"""Why a row is rejected: by the rule, or by the guard of this code."""
_NO_GUARD = (0,) * len(CAUSES)


class ExpectedCosts(msgspec.Struct, gc=False):
    """What each decision would cost at the answered probability."""

    plus: float = msgspec.field(name="+1")
    minus: float = msgspec.field(name="-1")
    reject: float


class Distances(msgspec.Struct, gc=False):
    """The value minus each threshold; an infinite distance is null."""

    lower: float
    upper: float


class Summary(msgspec.Struct, gc=False):
    """What an answer says of its rows; the cost is the mean of those with prices."""

    n: int
    accepted: int
    rejected: int
    expected_cost: float | None


class Prediction(msgspec.Struct, gc=False):
    """The answer to one row."""

    decision: str
    label: Label | None
    score: float
    probability: float | None
    expected_cost: float | None
    expected_costs: ExpectedCosts | None
    reason: str | None
    would_be: Label
    distances: Distances | None
    warnings: list[str]
    band: int | msgspec.UnsetType = msgspec.UNSET
    """The band of confidence, where the model rates rows."""
    case: str | msgspec.UnsetType = msgspec.UNSET
    """The case of a rejected row, where rejects of the model are reviewed."""


@dataclass(slots=True)
class Tally:
    """What a summary counts."""

    rows: int = 0
    positive: int = 0
    rejected: int = 0
    priced: int = 0
    cost: float = 0.0
    warned: int = 0
    """Rows that have a warning."""
    guarded: tuple[int, ...] = _NO_GUARD
    """Rows that each guard rejected, in the order of ``CAUSES``."""
    cells: dict[int, int] = field(default_factory=dict)
    """Rows by the cell of their score."""
    notes: tuple[str, ...] = ()
    """What is to be said of how a file was read."""

    def add(self, other: "Tally") -> None:
        """Count another part of the same request."""
        self.rows += other.rows
        self.positive += other.positive
        self.rejected += other.rejected
        self.priced += other.priced
        self.cost += other.cost
        for cell, rows in other.cells.items():
            self.cells[cell] = self.cells.get(cell, 0) + rows
        self.warned += other.warned
        if other.guarded is not _NO_GUARD:
            pairs = zip(self.guarded, other.guarded, strict=True)
            self.guarded = tuple(mine + theirs for mine, theirs in pairs)

    def summary(self) -> Summary:
        """Return the summary of all rows."""
        mean = self.cost / self.priced if self.priced else None
        return Summary(self.rows, self.rows - self.rejected, self.rejected, mean)


class Prices(NamedTuple):
    """The four prices of one row."""

    false_positive: float
    false_negative: float
    reject_positive: float
    reject_negative: float


class JudgedRow(NamedTuple):
    """One row with its score and decision: a row of `app.artifacts.model.Judged`."""

    score: float
    value: float
    decision: int
    probability: float | None
    guard: int = 0
    prices: Prices | None = None
    """Its own, where they follow its columns and are known."""


def prediction(
    judged: JudgedRow,
    pricing: Pricing,
    labels: Labels,
    notes: Sequence[RowNote] = (),
    row: int = 0,
) -> tuple[Prediction, Tally]:
    """Return the answer to one row, and what is to be counted of it.

    Parameters
    ----------
    judged : JudgedRow
    pricing : Pricing
    labels : Labels
    notes : sequence of RowNotes
    row : int
        Its index in the request.

    Raises
    ------
    InvalidRequestError
        When the score is not finite: the row is too far outside the training rows.
    """
    score, value, decision, p, guard, own = judged
    if not isfinite(score):
        raise overflown([row])
    band, costs = pricing.band, own or pricing.costs
    warnings = [note.text for note in notes]
    cost, by_decision = None, None
    if costs is None or p is None:
        positive = bool(likelier(score, p))
    else:
        plus, minus, reject = expected(p, costs)
        by_decision = ExpectedCosts(plus, minus, reject)
        cost = plus if decision > 0 else minus if decision else reject
        positive = plus <= minus
        if not guard and dearer(cost, min(plus, minus, reject)):
            warnings.append(not_cheapest(by_decision, cost))
    if decision:
        positive = decision > 0
    forced = labels.positive if positive else labels.negative
    distances = None
    if band.on != "reject-function" and pricing.row_prices is None:
        distances = Distances(value - band.lower, value - band.upper)
    answer = Prediction(
        NAMES[decision],
        forced if decision else None,
        score,
        p,
        cost,
        by_decision,
        None if decision else REASONS[guard],
        forced,
        distances,
        warnings,
    )
    if pricing.rating is not None:
        answer.band = pricing.rating.of_one(score)
    tally = Tally(1, int(decision > 0), int(not decision))
    tally.cells[bisect_right(pricing.cells, score)] = 1
    if cost is not None:
        tally.priced, tally.cost = 1, cost
    if warnings:
        tally.warned = 1
    if guard:
        tally.guarded = tuple(int(code == guard) for code in range(1, len(REASONS)))
    return answer, tally


def not_cheapest(expected: ExpectedCosts, cost: float) -> str:
    """Return the warning that another decision than the rule's would cost less."""
    by_name = {
        "+1": expected.plus,
        "-1": expected.minus,
        "reject": expected.reject,
    }
    name = min(by_name, key=by_name.__getitem__)
    return (
        f"not_cheapest: at this probability {name} is cheaper than the rule's decision"
        f" by {cost - by_name[name]:.6g}"
    )


def overflown(rows: Iterable[int], pointer: str = "/instances") -> InvalidRequestError:
    """Return the refusal of rows whose scores are not finite, by their indices."""
    detail = "the score overflows: the row lies too far outside the training rows"
    return unusable(FieldError(f"{pointer}/{row}", detail, row=row) for row in rows)
