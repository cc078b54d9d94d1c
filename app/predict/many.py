"""The answers to many rows, made column by column from their decisions.

A column is a list of one value a row, or such lists by name; None where the model has
nothing of the kind. Answers by rows are put together from the very same columns.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, overload

from app.artifacts.model import Judged, Labels
from app.features.encoding import RowNote
from app.predict.answer import (
    NAMES,
    REASONS,
    Distances,
    ExpectedCosts,
    Prediction,
    Tally,
    not_cheapest,
    prediction,
)
from app.predict.decided import Decided, decide, row_of
from app.predict.pricing import Pricing

__all__ = ["COLUMNS", "Column", "RowByRow", "columns_of", "predictions"]

Notes = Mapping[int, Sequence[RowNote]]
Column = list[Any] | dict[str, list[Any]] | None


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
        alone = row_of(judged, 0)
        answer, tally = prediction(alone, pricing, labels, notes.get(0, ()), first)
        return [answer], tally
    decided = decide(judged, pricing, notes, first)
    return _predictions(decided, pricing, labels), decided.tally()


def columns_of(
    decided: Decided, pricing: Pricing, labels: Labels, wanted: Collection[str]
) -> dict[str, Column]:
    """Return some of the ``COLUMNS`` of decided rows, by name.

    Parameters
    ----------
    decided : Decided
    pricing : Pricing
        That they were decided by.
    labels : Labels
    wanted : collection of str
    """
    return {name: COLUMNS[name](decided, pricing, labels) for name in wanted}


class RowByRow(Sequence[Prediction]):
    """Decided rows as answers, each made when it is first asked for.

    Its parameters are those of ``columns_of``.
    """

    def __init__(self, decided: Decided, pricing: Pricing, labels: Labels) -> None:
        self._decided, self._pricing, self._labels = decided, pricing, labels
        self.made: dict[int, Prediction] = {}

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._decided.decisions)

    @overload
    def __getitem__(self, i: int) -> Prediction: ...
    @overload
    def __getitem__(self, i: slice) -> list[Prediction]: ...
    def __getitem__(self, i: int | slice) -> Prediction | list[Prediction]:
        """Return one of them, or some."""
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if i >= len(self):
            raise IndexError(i)
        if i not in self.made:
            notes = self._decided.notes.get(i, ())
            row = self._decided.row(i)
            self.made[i], _ = prediction(row, self._pricing, self._labels, notes)
        return self.made[i]


def _predictions(
    decided: Decided, pricing: Pricing, labels: Labels
) -> list[Prediction]:
    columns = columns_of(decided, pricing, labels, COLUMNS)
    if columns["band"] is None:
        del columns["band"]
    nothing = [None] * len(decided.decisions)
    for name, of in (("expected_costs", ExpectedCosts), ("distances", Distances)):
        parts = columns[name]
        if isinstance(parts, dict):
            columns[name] = list(map(of, *parts.values()))
    for row in decided.unpriced.tolist():
        for name in ("expected_cost", "expected_costs"):
            if isinstance(column := columns[name], list):
                column[row] = None
    return list(map(Prediction, *(column or nothing for column in columns.values())))


def _decision(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    return [NAMES[decision] for decision in decided.decisions.tolist()]


def _label(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing
    names = {1: labels.positive, -1: labels.negative, 0: None}
    return [names[decision] for decision in decided.decisions.tolist()]


def _score(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    scores: list[float] = decided.judged.scores.tolist()
    return scores


def _probability(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    p = decided.judged.probabilities
    return None if p is None else p.tolist()


def _expected_cost(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    cost = decided.expected_costs
    return None if cost is None else cost.tolist()


def _expected_costs(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    if decided.priced is None:
        return None
    pairs = zip(NAMES.values(), decided.priced, strict=True)
    return {name: cost.tolist() for name, cost in pairs}


def _reason(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    codes, decisions = decided.guarded, decided.decisions.tolist()
    if codes is None:
        return [None if decision else REASONS[0] for decision in decisions]
    pairs = zip(decisions, codes.tolist(), strict=True)
    return [None if decision else REASONS[guard] for decision, guard in pairs]


def _would_be(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing
    sides = (labels.negative, labels.positive)
    return [sides[side] for side in decided.forced.tolist()]


def _distances(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del labels
    band, values = pricing.band, decided.judged.judged_by
    if band.on == "reject-function" or pricing.row_prices is not None:
        return None
    edges = {"lower": band.lower, "upper": band.upper}
    return {name: (values - edge).tolist() for name, edge in edges.items()}


def _warnings(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del pricing, labels
    warnings: list[list[str]] = [[]] * len(decided.decisions)
    for row, of_row in decided.notes.items():
        warnings[row] = [note.text for note in of_row]
    cost, priced = decided.expected_costs, decided.priced
    if cost is not None and priced is not None:
        (rows,) = decided.not_cheapest.nonzero()
        expected = map(ExpectedCosts, *(costs[rows].tolist() for costs in priced))
        for row, costs, taken in zip(
            rows.tolist(), expected, cost[rows].tolist(), strict=True
        ):
            warnings[row] = [*warnings[row], not_cheapest(costs, taken)]
    return warnings


def _band(decided: Decided, pricing: Pricing, labels: Labels) -> Column:
    del labels
    rating = pricing.rating
    return None if rating is None else rating.of(decided.judged.scores).tolist()


COLUMNS: dict[str, Callable[[Decided, Pricing, Labels], Column]] = {
    "decision": _decision,
    "label": _label,
    "score": _score,
    "probability": _probability,
    "expected_cost": _expected_cost,
    "expected_costs": _expected_costs,
    "reason": _reason,
    "would_be": _would_be,
    "distances": _distances,
    "warnings": _warnings,
    "band": _band,
}
"""How each column is made, in the order of `app.predict.answer.Prediction`."""
