"""Decisions of many rows at once, as columns.

Costs are computed by the arithmetic of single answers (``app.predict.expected``) on
whole columns: every number has the same bits as in the answer to the row alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import Judged
from app.features.encoding import RowNote
from app.guards.guards import NO_PRICE, reason_counts
from app.predict.answer import JudgedRow, Prices, Tally, overflown
from app.predict.expected import dearer, expected, likelier
from app.predict.pricing import Pricing

__all__ = ["Decided", "Flags", "Floats", "decide", "row_of"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Rows with their decisions, each array of shape (n_rows,).

    Parameters
    ----------
    judged : Judged
        Scores, probabilities, decisions, and which guard rejects.
    forced : ndarray of bool
        Whether a forced answer would be +1.
    expected_costs : ndarray or None
        Of the decision taken; None without costs or probability.
    priced : three ndarrays or None
        What +1, -1 and rejecting would cost.
    not_cheapest : ndarray of bool
        Where another decision is cheaper at the row's probability.
    notes : mapping of row index to RowNotes
        What was unlike the training rows.
    cells : tuple of float
        Edges of the cells that scores are counted in.
    """

    judged: Judged
    forced: Flags
    expected_costs: Floats | None
    priced: tuple[Floats, Floats, Floats] | None
    not_cheapest: Flags
    notes: Mapping[int, Sequence[RowNote]]
    cells: tuple[float, ...] = ()

    @property
    def decisions(self) -> NDArray[np.int8]:
        """+1, -1 or 0 (reject)."""
        return self.judged.decisions

    @property
    def unpriced(self) -> NDArray[np.intp]:
        """Return which rows lack a price: their costs are NaN."""
        return unpriced(self.judged)

    @property
    def guarded(self) -> NDArray[np.int8] | None:
        """Which guard rejects each row; None where none does."""
        return self.judged.guarded

    def row(self, i: int) -> JudgedRow:
        """Return one row by itself."""
        return row_of(self.judged, i)

    def tally(self) -> Tally:
        """Return what is counted of these rows."""
        costs = self.expected_costs
        if costs is not None and len(self.unpriced):
            costs = np.delete(costs, self.unpriced)
        noted = sum(not self.not_cheapest[row] for row in self.notes)
        cells = np.searchsorted(self.cells, self.judged.scores, side="right")
        rows = np.bincount(cells).tolist()
        return Tally(
            rows=len(self.decisions),
            positive=int(np.count_nonzero(self.decisions > 0)),
            rejected=int(np.count_nonzero(self.decisions == 0)),
            priced=0 if costs is None else len(costs),
            cost=0.0 if costs is None else float(np.add.reduce(costs)),
            cells={cell: held for cell, held in enumerate(rows) if held},
            warned=int(np.count_nonzero(self.not_cheapest)) + noted,
            guarded=(
                Tally().guarded if self.guarded is None else reason_counts(self.guarded)
            ),
        )


def unpriced(judged: Judged) -> NDArray[np.intp]:
    """Return which rows lack a price of their own."""
    if judged.prices is None or judged.guarded is None:
        return np.empty(0, np.intp)
    return np.flatnonzero(judged.guarded == NO_PRICE)


def row_of(judged: Judged, i: int) -> JudgedRow:
    """Return one of the judged rows by itself."""
    p, codes, own = judged.probabilities, judged.guarded, judged.prices
    guard = 0 if codes is None else codes[i].item()
    prices = None
    if own is not None and guard != NO_PRICE:
        prices = Prices(*(getattr(own, name)[i].item() for name in Prices._fields))
    return JudgedRow(
        judged.scores[i].item(),
        judged.judged_by[i].item(),
        judged.decisions[i].item(),
        None if p is None else p[i].item(),
        guard,
        prices,
    )


def decide(
    judged: Judged,
    pricing: Pricing,
    notes: Mapping[int, Sequence[RowNote]],
    first_row: int,
    pointer: str = "/instances",
) -> Decided:
    """Return the decisions on judged rows.

    Parameters
    ----------
    judged : Judged
    pricing : Pricing
    notes : mapping of row index (within these rows) to RowNotes
    first_row : int
        Index of the first of these rows.
    pointer : str
        Where the rows are, for the refusal.

    Raises
    ------
    InvalidRequestError
        When a score is not finite: the row is too far outside the training rows.
    """
    finite = np.isfinite(judged.scores)
    if np.count_nonzero(finite) < len(finite):
        rows = (np.flatnonzero(~finite) + first_row).tolist()
        raise overflown(rows, pointer)
    p, decisions = judged.probabilities, judged.decisions
    rejected, above = decisions == 0, decisions > 0
    cost, priced, not_cheapest = None, None, np.zeros(len(decisions), dtype=np.bool_)
    costs = pricing.costs if judged.prices is None else judged.prices
    if costs is None or p is None:
        positive = likelier(judged.scores, p)
    else:
        plus, minus, reject = priced = expected(p, costs)
        positive = plus <= minus
        if len(lacking := unpriced(judged)):
            for of_decision in priced:
                of_decision[lacking] = np.nan
            positive[lacking] = likelier(judged.scores[lacking], p[lacking])
        cost = np.where(rejected, reject, np.where(above, plus, minus))
        least = np.minimum(np.minimum(plus, minus), reject)
        not_cheapest = np.asarray(dearer(cost, least))
        if judged.guarded is not None:
            not_cheapest &= judged.guarded == 0
    return Decided(
        judged=judged,
        forced=above | (rejected & positive),
        expected_costs=cost,
        priced=priced,
        not_cheapest=not_cheapest,
        notes=notes,
        cells=pricing.cells,
    )
