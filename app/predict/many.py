"""The answers to many rows, made column by column from their decisions."""

from collections.abc import Mapping, Sequence

from app.artifacts.model import Judged, Labels
from app.features.encoding import RowNote
from app.predict.answer import (
    NAMES,
    REASONS,
    Distances,
    ExpectedCosts,
    JudgedRow,
    Prediction,
    Tally,
    not_cheapest,
    prediction,
)
from app.predict.decided import Decided, decide
from app.predict.pricing import Pricing
from solvers.rules.band import Band

__all__ = ["predictions"]

Notes = Mapping[int, Sequence[RowNote]]


def predictions(
    judged: Judged, pricing: Pricing, labels: Labels, notes: Notes, first: int = 0
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
    if len(judged.scores) == 1:
        alone = _only(judged)
        told, tally = prediction(alone, pricing, labels, notes.get(0, ()), first)
        return [told], tally
    decided = decide(judged, pricing, notes, first)
    return _told(decided, pricing.band, labels), decided.tally()


def _only(judged: Judged) -> JudgedRow:
    p, codes = judged.probabilities, judged.guarded
    return JudgedRow(
        judged.scores.item(),
        judged.judged_by.item(),
        judged.decisions.item(),
        None if p is None else p.item(),
        0 if codes is None else codes.item(),
    )


def _told(decided: Decided, band: Band, labels: Labels) -> list[Prediction]:
    judged = decided.judged
    n, p, cost = len(judged.scores), judged.probabilities, decided.expected_costs
    nothing = [None] * n
    decisions = judged.decisions.tolist()
    sides = (labels.negative, labels.positive)
    forced = [sides[side] for side in decided.forced.tolist()]
    costs = _costs(decided) or nothing
    columns = (
        [NAMES[decision] for decision in decisions],
        [label if d else None for label, d in zip(forced, decisions, strict=True)],
        judged.scores.tolist(),
        nothing if p is None else p.tolist(),
        nothing if cost is None else cost.tolist(),
        costs,
        _reasons(decided, decisions),
        forced,
        _distances(judged, band) or nothing,
        _warnings(decided, costs),
    )
    return list(map(Prediction, *columns))


def _costs(decided: Decided) -> list[ExpectedCosts] | None:
    if decided.priced is None:
        return None
    return list(map(ExpectedCosts, *(column.tolist() for column in decided.priced)))


def _reasons(decided: Decided, decisions: list[int]) -> list[str | None]:
    codes = decided.guarded
    if codes is None:
        return [None if decision else REASONS[0] for decision in decisions]
    pairs = zip(decisions, codes.tolist(), strict=True)
    return [None if decision else REASONS[guard] for decision, guard in pairs]


def _distances(judged: Judged, band: Band) -> list[Distances] | None:
    if band.on == "reject-function":
        return None
    lower, upper = judged.judged_by - band.lower, judged.judged_by - band.upper
    return list(map(Distances, lower.tolist(), upper.tolist()))


def _warnings(
    decided: Decided, costs: Sequence[ExpectedCosts | None]
) -> list[list[str]]:
    warnings: list[list[str]] = [[]] * len(costs)
    for row, said in decided.notes.items():
        warnings[row] = [note.text for note in said]
    cost = decided.expected_costs
    for row in decided.not_cheapest.nonzero()[0].tolist():
        told = costs[row]
        if told is not None and cost is not None:
            warnings[row] = [*warnings[row], not_cheapest(told, cost[row].item())]
    return warnings
