"""Decisions of many rows at once, as columns.

The arithmetic is that of ``app.predict.answer``, operation by operation on whole
columns, so that every number has the same bits as in the answer to the row alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import Judged
from app.errors import FieldError
from app.features.encoding import RowNote
from app.features.faults import unusable
from app.guards.guards import reason_counts
from app.predict.answer import Tally
from app.predict.pricing import Pricing
from solvers.costs import CostMatrix

__all__ = ["Decided", "Flags", "Floats", "decide"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_TIE = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """Rows with their decisions, each array of shape (n_rows,).

    Parameters
    ----------
    decisions : ndarray, int8
        +1, -1 or 0 (reject).
    forced : ndarray of bool
        Whether a forced answer would be +1.
    scores : ndarray
    probabilities, expected_costs : ndarray or None
        None where the model has no probability, or no costs.
    not_cheapest : ndarray of bool
        Where another decision is cheaper at the row's probability.
    notes : mapping of row index to RowNotes
        What was unlike the training rows.
    guarded : ndarray of int8, or None
        Which guard rejects each row; None where no guard is on.
    """

    decisions: NDArray[np.int8]
    forced: Flags
    scores: Floats
    probabilities: Floats | None
    expected_costs: Floats | None
    not_cheapest: Flags
    notes: Mapping[int, Sequence[RowNote]]
    guarded: NDArray[np.int8] | None = None

    def tally(self) -> Tally:
        """Return what is counted of these rows."""
        costs = self.expected_costs
        counted = {}
        if self.guarded is not None:
            counted["guarded"] = reason_counts(self.guarded)
        return Tally(
            rows=len(self.decisions),
            positive=int(np.count_nonzero(self.decisions > 0)),
            rejected=int(np.count_nonzero(self.decisions == 0)),
            priced=0 if costs is None else len(costs),
            cost=0.0 if costs is None else float(costs.sum()),
            **counted,
        )


def decide(
    judged: Judged,
    pricing: Pricing,
    notes: Mapping[int, Sequence[RowNote]],
    first_row: int,
) -> Decided:
    """Return the decisions on judged rows.

    Raises
    ------
    InvalidRequestError
        When a score is not finite: the row is too far outside the training rows.
    """
    finite = np.isfinite(judged.scores)
    if not finite.all():
        row = first_row + int(np.argmin(finite))
        detail = "the score overflows: the row lies too far outside the training rows"
        raise unusable([FieldError(f"/rows/{row}", detail, row=row)])
    p, decisions = judged.probabilities, judged.decisions
    cost, not_cheapest = None, np.zeros(len(decisions), dtype=np.bool_)
    if pricing.costs is None or p is None:
        likelier = judged.scores > 0.0 if p is None else p >= 0.5
    else:
        plus, minus, reject = _expected(p, pricing.costs)
        likelier = plus <= minus
        cost = np.where(decisions == 0, reject, np.where(decisions > 0, plus, minus))
        least = np.minimum(np.minimum(plus, minus), reject)
        not_cheapest = cost > least + _TIE * cost
        if judged.guarded is not None:
            not_cheapest &= judged.guarded == 0
    forced = np.where(decisions == 0, likelier, decisions > 0)
    return Decided(
        decisions,
        forced,
        judged.scores,
        p,
        cost,
        not_cheapest,
        notes,
        judged.guarded,
    )


def _expected(p: Floats, costs: CostMatrix) -> tuple[Floats, Floats, Floats]:
    q = 1.0 - p
    return (
        q * costs.false_positive,
        p * costs.false_negative,
        p * costs.reject_positive + q * costs.reject_negative,
    )
