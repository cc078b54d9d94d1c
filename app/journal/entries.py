"""One request in the prediction log: its decisions as lines of JSON.

A line holds some consecutive rows of one request, column by column:

    time, request_id, model, version    what was asked, when
    first_row                           index in the request of the first row
    rule                                on, lower, upper, closed, always
                                        (`Band.payload`); on "prices" where each row
                                        has its own
    costs                               the four prices, each a list where they differ
                                        by row; or null
    scores, probabilities, reject_scores
    decisions, reasons                  as they were answered
    expected_costs                      of "+1", "-1" and "reject"; or null
    expected_cost                       of the decision taken; or null

It is all that the decisions follow from, and no more: ``demur audit`` recomputes them.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from typing import Any

import msgspec

from app.artifacts.model import Judged
from app.models.queries import ResolvedVersion
from app.predict.answer import NAMES, REASONS, Prediction
from app.predict.decided import Decided
from app.predict.pricing import Pricing
from solvers.costs import CostMatrix, RowCosts

__all__ = ["Decisions", "Entry", "Stamp"]

_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Stamp:
    """Which request, and when it came (seconds since 1970)."""

    request_id: str
    at: float = field(default_factory=time.time)

    @property
    def moment(self) -> datetime:
        """When it came, in UTC."""
        return datetime.fromtimestamp(self.at, UTC)


@dataclass(frozen=True, slots=True)
class Decisions:
    """What was answered to some rows, as lists of equal length."""

    decisions: Sequence[str]
    reasons: Sequence[str | None]
    expected_costs: dict[str, Sequence[float | None]] | None
    expected_cost: Sequence[float | None] | None

    @classmethod
    def of(cls, answers: Sequence[Prediction]) -> "Decisions":
        """Return what these answers say."""
        costs: dict[str, Sequence[float | None]] | None = None
        cost = None
        costs_by_row = [answer.expected_costs for answer in answers]
        if any(costs_by_row):
            costs = {
                "+1": [None if one is None else one.plus for one in costs_by_row],
                "-1": [None if one is None else one.minus for one in costs_by_row],
                "reject": [None if one is None else one.reject for one in costs_by_row],
            }
            cost = [answer.expected_cost for answer in answers]
        decisions = [answer.decision for answer in answers]
        return cls(decisions, [answer.reason for answer in answers], costs, cost)

    @classmethod
    def of_columns(cls, decided: Decided) -> "Decisions":
        """Return what these decisions say."""
        decisions = decided.decisions.tolist()
        guarded, costs, cost = decided.guarded, decided.priced, decided.expected_costs
        guards = [0] * len(decisions) if guarded is None else guarded.tolist()
        priced = None
        if costs is not None:
            names = NAMES.values()
            priced = {name: o.tolist() for name, o in zip(names, costs, strict=True)}
        return cls(
            [NAMES[decision] for decision in decisions],
            [
                None if decision else REASONS[guard]
                for decision, guard in zip(decisions, guards, strict=True)
            ],
            priced,
            None if cost is None else cost.tolist(),
        )


class Entry:
    """The decisions of one request.

    Making lines of them takes a while, so it is put off: `note` keeps references,
    `pack` writes what was noted.

    Parameters
    ----------
    stamp : Stamp
    """

    def __init__(self, stamp: Stamp) -> None:
        self.stamp = stamp
        self.rows = 0
        self._version: ResolvedVersion | None = None
        self._pricing: Pricing | None = None
        self._noted: list[tuple[int, Judged, Sequence[Prediction] | Decided]] = []

    def begin(self, version: ResolvedVersion, pricing: Pricing) -> None:
        """Say what answers."""
        self._version, self._pricing = version, pricing

    def note(
        self, first: int, judged: Judged, answers: Sequence[Prediction] | Decided
    ) -> None:
        """Keep the answers to rows, the first of which has index ``first``."""
        self._noted.append((first, judged, answers))
        self.rows += len(judged.scores)

    def pack(self) -> Iterator[bytes]:
        """Yield a line for each part that was noted since the last call."""
        noted, self._noted = self._noted, []
        for first, judged, answers in noted:
            if len(judged.scores):
                if isinstance(answers, Decided):
                    decisions = Decisions.of_columns(answers)
                else:
                    decisions = Decisions.of(answers)
                yield self.line(first, judged, decisions)

    def line(self, first: int, judged: Judged, decisions: Decisions) -> bytes:
        """Return rows as one line."""
        version, pricing = self._version, self._pricing
        assert version is not None  # noqa: S101 - begin comes first
        assert pricing is not None  # noqa: S101
        p, r = judged.probabilities, judged.outputs.reject_score
        rule, costs = pricing.band.payload(), _listed(pricing.costs or judged.prices)
        if pricing.row_prices is not None:
            rule = {**rule, "on": "prices", "always": None}
        record: dict[str, Any] = {
            "time": self.stamp.moment.isoformat(timespec="milliseconds"),
            "request_id": self.stamp.request_id,
            "model": version.name,
            "version": version.version,
            "first_row": first,
            "rule": rule,
            "costs": costs,
            "scores": judged.scores.tolist(),
            "probabilities": None if p is None else p.tolist(),
            "reject_scores": None if r is None else r.tolist(),
            "decisions": decisions.decisions,
            "reasons": decisions.reasons,
            "expected_costs": decisions.expected_costs,
            "expected_cost": decisions.expected_cost,
        }
        return _ENCODER.encode(record) + b"\n"


def _listed(costs: CostMatrix | RowCosts | None) -> dict[str, Any] | None:
    """Return prices as JSON: numbers, or lists where they differ by row."""
    if not isinstance(costs, RowCosts):
        return None if costs is None else asdict(costs)
    return {f.name: getattr(costs, f.name).tolist() for f in fields(costs)}
