"""How uncertain a figure of decisions is: intervals that count what was not seen.

What is drawn is a unit: a row, or all rows of a group. A unit brings its own 2 x 3
table (of weights; a doubtful row stands in both lines, by its probability), and every
rate and cost is a ratio of two sums over the cells,

    sum num[cell] table[cell] / sum den[cell] table[cell],

whose limits are those of ``mean_limits``: the unit that was never seen lies in the
worst cell. Rates of single rows are those of Clopper and Pearson. The normalised mutual
information is no ratio: its tables are drawn anew, cell by cell, with half a row more
in each, and the interval spans both the drawn figures and their mirror image about the
figure found, since the figure is biased upwards.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.confusion import Prices, price_table
from solvers.metrics.draws import rows_of_groups, size_of_unit, units_alike
from solvers.metrics.information import normalized_of_table
from solvers.metrics.inputs import as_decisions, as_groups, as_positive, as_weights
from solvers.metrics.mean_limits import binomial_interval, mean_limits

__all__ = [
    "Interval",
    "Units",
    "decision_intervals",
    "table_intervals",
]

Floats = NDArray[np.float64]

_CELLS = ("tp", "fn", "rp", "fp", "tn", "rn")


def _cells(names: str) -> Floats:
    return np.array([float(cell in names.split()) for cell in _CELLS]).reshape(2, 3)


_ALL = _cells("tp fn rp fp tn rn")
_RATES = {
    "error_rate": (_cells("fn fp"), _ALL),
    "reject_rate": (_cells("rp rn"), _ALL),
    "coverage": (_cells("tp fn fp tn"), _ALL),
    "selective_error": (_cells("fn fp"), _cells("tp fn fp tn")),
    "positive_predictive_value": (_cells("tp"), _cells("tp fp")),
    "negative_predictive_value": (_cells("tn"), _cells("tn fn")),
}
_DRAWS = 1000


class Interval(NamedTuple):
    """A figure with its interval.

    Attributes
    ----------
    value, low, high : float
        The figure on the rows as they are, and the ends of its interval; NaN where
        the figure is undefined.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What was drawn, as tables of truth against decision.

    Attributes
    ----------
    tables : ndarray of shape (n_units, 2, 3)
    count : ndarray of shape (n_units,)
        How often each was drawn.
    unseen : ndarray of shape (2,)
        Weight of a unit that could have come, all +1 or all -1.
    plain : bool
        Whether each unit is one row of weight 1 with a certain label.
    """

    tables: Floats
    count: Floats
    unseen: Floats
    plain: bool

    @classmethod
    def of_table(cls, table: ArrayLike) -> Self:
        """Return the rows that a table counts."""
        counts = np.asarray(table, dtype=np.float64)
        if counts.shape != (2, 3) or not np.allclose(counts, counts.round()):
            msg = "table must be 2 x 3 row counts (no weights)"
            raise ValueError(msg)
        if not counts.sum() >= 1:
            msg = "table must count at least one row"
            raise ValueError(msg)
        return cls(np.eye(6).reshape(6, 2, 3), counts.ravel(), np.ones(2), plain=True)

    @classmethod
    def of_rows(
        cls,
        share: Floats,
        decisions: ArrayLike,
        weight: Floats,
        groups: NDArray[Any] | None = None,
    ) -> Self:
        """Return the units of rows.

        Parameters
        ----------
        share : ndarray of shape (n_rows,)
            Probability of +1: 1 or 0 for a label.
        decisions : array-like of shape (n_rows,), codes +1, -1 and 0 (reject)
        weight : ndarray of shape (n_rows,)
        groups : ndarray of shape (n_rows,), optional
            What rows were drawn together.
        """
        codes = as_decisions(decisions, len(share))
        counted = weight > 0
        if not counted.any():
            msg = "a figure of no rows has no interval"
            raise ValueError(msg)
        share, weight, codes = share[counted], weight[counted], codes[counted]
        groups = None if groups is None else np.asarray(groups)[counted]
        column = np.where(codes == 0, 2, np.where(codes > 0, 0, 1))
        sides = np.stack((weight * share, weight * (1.0 - share)))
        unseen = size_of_unit(sides, weight) * rows_of_groups(groups)
        unit, count = units_alike(groups, share, weight, column)
        tables = np.stack(
            [
                np.bincount(unit * 3 + column, side, minlength=3 * len(count))
                for side in sides
            ]
        ).astype(np.float64)
        certain = bool(((share == 0.0) | (share == 1.0)).all())
        return cls(
            tables.reshape(2, -1, 3).swapaxes(0, 1) / count[:, None, None],
            count,
            unseen,
            plain=groups is None and certain and bool((weight == 1.0).all()),
        )

    @property
    def total(self) -> Floats:
        """Return the table of all units, shape (2, 3)."""
        return np.asarray(np.tensordot(self.count, self.tables, 1))

    def ratio(self, num: Floats, den: Floats, level: float) -> Interval:
        """Return a ratio of two sums over cells; ``den`` is 0 or 1 in each cell."""
        total, tail = self.total, (1.0 - level) / 2.0
        below = float((total * den).sum())
        if not below > 0.0:
            return Interval(*[float("nan")] * 3)
        above = float((total * num).sum())
        value = above / below
        if self.plain and bool(((num == 0.0) | (num == den)).all()):
            return Interval(value, *binomial_interval(above, below, tail))
        # The unit that moves the figure most, either way.
        pull = np.where(den > 0.0, (num - value * den) * self.unseen[:, None], 0.0)
        ends = [
            (float(num.flat[cell] * self.unseen[cell // 3]), self.unseen[cell // 3])
            for cell in (int(pull.argmin()), int(pull.argmax()))
        ]
        amount, size = ((self.tables * part).sum(axis=(1, 2)) for part in (num, den))
        low, high = mean_limits(amount, size, self.count, ends[0], ends[1], tail)
        return Interval(value, min(low, value), max(high, value))

    def intervals(
        self, costs: Prices | Mapping[str, float] | None, level: float = 0.95
    ) -> dict[str, Interval]:
        """Return every rate, the mutual information and the expected cost."""
        tail_of(level)
        found = {name: self.ratio(*cells, level) for name, cells in _RATES.items()}
        found["normalized_mutual_information"] = self._information(level)
        if costs is not None:
            found["expected_cost"] = self.ratio(price_table(costs), _ALL, level)
        return found

    def against_constants(
        self, costs: Prices | Mapping[str, float], level: float = 0.95
    ) -> dict[str, Interval]:
        """Return what a row costs more than if always answered +1, -1 or reject."""
        prices = price_table(costs)
        return {
            name: self.ratio(prices - prices[:, [column]], _ALL, level)
            for column, name in enumerate(("+1", "-1", "reject"))
        }

    def _information(self, level: float) -> Interval:
        total = self.total
        squares = np.tensordot(self.count, self.tables**2, 1)
        seen = total > 0.0
        unit = np.where(
            seen, squares / np.where(seen, total, 1.0), self.unseen[:, None]
        )
        generator = np.random.default_rng(0)
        drawn = generator.standard_gamma(total / unit + 0.5, size=(_DRAWS, 2, 3)) * unit
        return mirrored(
            float(normalized_of_table(total)), normalized_of_table(drawn), level, 1.0
        )


def mirrored(value: float, drawn: Floats, level: float, highest: float) -> Interval:
    """Return an interval of drawn figures and of their mirror image."""
    known = drawn[~np.isnan(drawn)]
    if np.isnan(value) or not known.size:
        return Interval(*[float("nan")] * 3)
    tail = tail_of(level)
    low, high = (float(end) for end in np.quantile(known, [tail, 1.0 - tail]))
    low, high = min(low, 2 * value - high, value), max(high, 2 * value - low, value)
    return Interval(value, max(low, 0.0), min(high, highest))


def tail_of(level: float) -> float:
    """Return what may lie beyond either end."""
    if not 0.0 < level < 1.0:
        msg = f"level must lie strictly between 0 and 1, got {level!r}"
        raise ValueError(msg)
    return (1.0 - level) / 2.0


def decision_intervals(
    y_true: ArrayLike,
    decisions: ArrayLike,
    costs: Prices | Mapping[str, float] | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    positive: Any = None,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Return every figure of decisions with its interval.

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    costs : CostMatrix or mapping, optional
        Adds "expected_cost".
    groups : array-like of shape (n_rows,), optional
        Rows of one group were drawn together, so they count as one draw.
    level : float, default=0.95
    """
    truth = as_positive(y_true, positive).astype(np.float64)
    weight = as_weights(sample_weight, len(truth))
    of_row = as_groups(groups, len(truth))
    units = Units.of_rows(truth, np.asarray(decisions), weight, of_row)
    return units.intervals(costs, level)


def table_intervals(
    table: ArrayLike,
    costs: Prices | Mapping[str, float] | None = None,
    *,
    level: float = 0.95,
) -> dict[str, Interval]:
    """Return every figure of a 2 x 3 table with its interval.

    Parameters
    ----------
    table : array-like of shape (2, 3)
        Row counts, as ``augmented_confusion_matrix`` returns them without weights.
        Each row is a draw of its own; for groups see ``decision_intervals``.
    costs : CostMatrix or mapping, optional
        Adds "expected_cost".
    level : float, default=0.95
    """
    return Units.of_table(table).intervals(costs, level)
