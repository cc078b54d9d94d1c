"""From scores and decisions to the rows of an answer.

Expected costs (``app.predict.expected``) are computed from the very probability that is
answered. ``expected_cost`` is that of the decision taken, which a rule on the score may
take against it: then a warning says so. A guard's reject is no decision of the rule: no
warning then.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

import msgspec

from app.artifacts.model import Judged, Label, Labels
from app.errors import FieldError
from app.features.encoding import RowNote
from app.features.faults import unusable
from app.guards.guards import GUARDS, reason_counts
from app.predict.expected import dearer, expected, likelier
from app.predict.pricing import Pricing

__all__ = [
    "NAMES",
    "REASONS",
    "Distances",
    "ExpectedCosts",
    "Prediction",
    "Tally",
    "predictions",
]

NAMES = {1: "+1", -1: "-1", 0: "reject"}
"""Decisions as they are told, in the order of ``app.predict.expected``."""
REASONS = ("ambiguous", *GUARDS)
"""Why a row is rejected: by the rule, or by the guard of this code."""
_NO_GUARD = (0,) * len(GUARDS)


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
    """What an answer says of its rows together; the cost is their mean."""

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


@dataclass(slots=True)
class Tally:
    """What a summary counts."""

    rows: int = 0
    positive: int = 0
    rejected: int = 0
    priced: int = 0
    cost: float = 0.0
    guarded: tuple[int, ...] = _NO_GUARD
    """Rows that each guard rejected, in the order of ``GUARDS``."""

    def add(self, other: "Tally") -> None:
        """Count another part of the same request."""
        self.rows += other.rows
        self.positive += other.positive
        self.rejected += other.rejected
        self.priced += other.priced
        self.cost += other.cost
        if other.guarded is not _NO_GUARD:
            pairs = zip(self.guarded, other.guarded, strict=True)
            self.guarded = tuple(mine + theirs for mine, theirs in pairs)

    def summary(self) -> Summary:
        """Return the summary of all rows."""
        mean = self.cost / self.rows if self.priced else None
        return Summary(self.rows, self.rows - self.rejected, self.rejected, mean)


def predictions(
    judged: Judged,
    pricing: Pricing,
    labels: Labels,
    notes: Mapping[int, list[RowNote]],
    first: int = 0,
) -> tuple[list[Prediction], Tally]:
    """Return the answers to rows, in order, and what is to be counted of them.

    Parameters
    ----------
    judged : Judged
    pricing : Pricing
    labels : Labels
    notes : mapping of row index (within these rows) to RowNotes
    first : int
        Index in the request of the first of these rows.

    Raises
    ------
    InvalidRequestError
        When a score is not finite: the row is too far outside the training rows.
    """
    scores = judged.scores.tolist()
    values = judged.judged_by.tolist()
    decisions = judged.decisions.tolist()
    if not all(map(isfinite, scores)):
        raise unusable(_overflows(scores, first))
    chances: Iterable[float | None] = (
        [None] * len(scores)
        if judged.probabilities is None
        else judged.probabilities.tolist()
    )
    band, costs = pricing.band, pricing.costs
    measured = band.on != "reject-function"
    codes = judged.guarded
    guarded = None if codes is None else codes.tolist()
    lower, upper = band.lower, band.upper
    answers = []
    total = 0.0
    for row, (score, value, decision, p) in enumerate(
        zip(scores, values, decisions, chances, strict=True)
    ):
        cost, told = None, None
        guard = 0 if guarded is None else guarded[row]
        warnings = [note.text for note in notes[row]] if row in notes else []
        if costs is None or p is None:
            positive = bool(likelier(score, p))
        else:
            plus, minus, reject = expected(p, costs)
            told = ExpectedCosts(plus, minus, reject)
            cost = _of(decision, plus, minus, reject)
            total += cost
            positive = plus <= minus
            if not guard and dearer(cost, min(plus, minus, reject)):
                warnings.append(_not_cheapest(told, cost))
        if decision:
            positive = decision > 0
        forced = labels.positive if positive else labels.negative
        answers.append(
            Prediction(
                NAMES[decision],
                forced if decision else None,
                score,
                p,
                cost,
                told,
                None if decision else REASONS[guard],
                forced,
                Distances(value - lower, value - upper) if measured else None,
                warnings,
            )
        )
    n = len(answers)
    priced = n if costs is not None and judged.probabilities is not None else 0
    by_guard = _NO_GUARD if codes is None else reason_counts(codes)
    positive, rejected = decisions.count(1), decisions.count(0)
    return answers, Tally(n, positive, rejected, priced, total, by_guard)


def _of(decision: int, plus: float, minus: float, reject: float) -> float:
    """Return the cost of a decision among those of all three."""
    if decision == 0:
        return reject
    return plus if decision > 0 else minus


def _not_cheapest(expected: ExpectedCosts, cost: float) -> str:
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


def _overflows(scores: list[float], first: int) -> Iterable[FieldError]:
    detail = "the score overflows: the row lies too far outside the training rows"
    return (
        FieldError(f"/instances/{row}", detail, row=row)
        for row, score in enumerate(scores, first)
        if not isfinite(score)
    )
