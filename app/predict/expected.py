"""The arithmetic of an answer, for one row (numbers) and for many (arrays).

With p the probability of +1, the expected cost of a decision is

    "+1"      (1 - p) false_positive
    "-1"      p false_negative
    "reject"  p reject_positive + (1 - p) reject_negative

(``CostMatrix.expected``). Single answers and batches both compute by these functions,
operation by operation the same, so a row has the same bits in either.
"""

from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["dearer", "expected", "likelier"]

Floats = NDArray[np.float64]
Number = TypeVar("Number", float, Floats)

# Costs that differ by rounding only are equal.
_TIE = 1e-12


class FourPrices(Protocol):
    """Four prices: those of all rows, of one row, or columns of one a row."""

    @property
    def false_positive(self) -> Any: ...
    @property
    def false_negative(self) -> Any: ...
    @property
    def reject_positive(self) -> Any: ...
    @property
    def reject_negative(self) -> Any: ...


def expected(p: Number, costs: FourPrices) -> tuple[Number, Number, Number]:
    """Return what deciding +1, deciding -1 and rejecting would cost at p."""
    q = 1.0 - p
    return (
        q * costs.false_positive,
        p * costs.false_negative,
        p * costs.reject_positive + q * costs.reject_negative,
    )


def dearer(cost: Number, least: Number) -> bool | NDArray[np.bool_]:
    """Tell whether a cost exceeds the least one by more than rounding."""
    return cost > least + _TIE * cost


def likelier(score: Number, p: Number | None) -> bool | NDArray[np.bool_]:
    """Tell whether +1 is the likelier class: by p, else by the sign of the score."""
    return score > 0.0 if p is None else p >= 0.5
