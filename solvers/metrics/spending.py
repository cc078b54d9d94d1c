"""What decisions cost where each row has prices of its own.

    spent[row] = share C(+1, decision) + (1 - share) C(-1, decision)

at the row's prices, ``share`` its probability of +1 (1 or 0 for a label); the mean is
weighted. Limits are those of ``mean_limits``. The unit that was not seen may cost what
any seen row may have cost, decided as it was, under either truth: decisions depend on
the prices, so that a dear row is not decided like a cheap one. That a row exists which
would cost more than all of these, no rows can tell.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.confusion import Prices
from solvers.metrics.draws import rows_of_groups
from solvers.metrics.inputs import as_decisions
from solvers.metrics.intervals import Interval, tail_of
from solvers.metrics.mean_limits import mean_limits

__all__ = ["Spending"]

Floats = NDArray[np.float64]

_CALLED = ("+1", "-1", "reject")


@dataclass(frozen=True, slots=True, eq=False)
class Spending:
    """Decided rows with what each could have cost.

    Attributes
    ----------
    prices : ndarray of shape (n_rows, 2, 3)
        By truth (+1, -1) and decision (+1, -1, reject).
    sides : ndarray of shape (n_rows, 2)
        Probability of +1, and of -1.
    column : ndarray of shape (n_rows,)
        The decision that was taken.
    weight : ndarray of shape (n_rows,)
    groups : ndarray of shape (n_rows,) or None
        What rows were drawn together.
    """

    prices: Floats
    sides: Floats
    column: NDArray[np.intp]
    weight: Floats
    groups: NDArray[Any] | None

    @classmethod
    def of_rows(
        cls,
        share: Floats,
        decisions: ArrayLike,
        costs: Prices,
        weight: Floats,
        groups: NDArray[Any] | None = None,
    ) -> Self:
        """Return the rows with their prices; arguments as in ``Units.of_rows``."""
        codes = as_decisions(decisions, len(share))
        nothing = np.zeros(len(share))
        prices = np.array(
            [
                [nothing, costs.false_negative, costs.reject_positive],
                [costs.false_positive, nothing, costs.reject_negative],
            ]
        )
        return cls(
            prices.transpose(2, 0, 1),
            np.stack((share, 1.0 - share), axis=1),
            np.where(codes == 0, 2, np.where(codes > 0, 0, 1)),
            weight,
            groups,
        )

    @property
    def table(self) -> Floats:
        """Return what all rows together cost, by truth and decision: shape (2, 3)."""
        spent = self.weight[:, None] * self.sides * self._taken(self.prices)
        columns = [spent[self.column == j].sum(axis=0) for j in range(3)]
        return np.stack(columns, axis=1)

    def constants(self) -> dict[str, float]:
        """Return what a row costs if all are answered alike."""
        every = (self.sides[:, :, None] * self.prices).sum(axis=1)
        mean = (self.weight[:, None] * every).sum(axis=0) / self.weight.sum()
        return dict(zip(_CALLED, mean.tolist(), strict=True))

    def expected_cost(self, level: float = 0.95) -> Interval:
        """Return what a row costs."""
        return self._mean(self.prices, level)

    def against_constants(self, level: float = 0.95) -> dict[str, Interval]:
        """Return what a row costs more than if always answered +1, -1 or reject."""
        return {
            name: self._mean(self.prices - self.prices[:, :, [j]], level)
            for j, name in enumerate(_CALLED)
        }

    def _taken(self, cells: Floats) -> Floats:
        """Return the cells of the decisions that were taken, shape (n_rows, 2)."""
        return np.take_along_axis(cells, self.column[:, None, None], axis=2)[:, :, 0]

    def _mean(self, cells: Floats, level: float) -> Interval:
        tail, weight, taken = tail_of(level), self.weight, self._taken(cells)
        amount = weight * (self.sides * taken).sum(axis=1)
        value = float(amount.sum() / weight.sum())
        unseen = float((weight * weight).sum() / weight.sum())
        unseen *= rows_of_groups(self.groups)
        ends = [(float(end) * unseen, unseen) for end in (taken.min(), taken.max())]
        units = _drawn(amount, weight, self.groups)
        low, high = mean_limits(*units, ends[0], ends[1], tail)
        return Interval(value, min(low, value), max(high, value))


def _drawn(
    amount: Floats, size: Floats, groups: NDArray[Any] | None
) -> tuple[Floats, Floats, Floats]:
    """Return what each unit brings, and how often; equal rows stand for one another."""
    if groups is None:
        kinds, count = np.unique(
            np.stack((amount, size), axis=1), axis=0, return_counts=True
        )
        return kinds[:, 0], kinds[:, 1], count.astype(np.float64)
    unit = np.unique(groups, return_inverse=True)[1]
    amounts = np.bincount(unit, amount).astype(np.float64)
    sizes = np.bincount(unit, size).astype(np.float64)
    return amounts, sizes, np.ones(len(sizes))
