"""Prices that each row has of its own."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.costs.priced import LEAST, MOST, Priced
from solvers.errors import InvalidCostsError

__all__ = ["RowCosts"]


@dataclass(frozen=True, slots=True, eq=False)
class RowCosts(Priced):
    """The four prices of a decision, one of each for every row.

    A missed fraud of 10 does not cost what one of 10,000 does. Where a review costs
    more than it can save, the row gets the cheaper of the decisions +1 and -1.

    Parameters
    ----------
    false_positive : float or array-like of shape (n_rows,), default=1.0
        Cost of calling a true -1 "+1"; a number is the price of every row.
    false_negative : float or array-like of shape (n_rows,), default=1.0
        Cost of calling a true +1 "-1".
    reject_positive : float or array-like of shape (n_rows,), default=0.25
        Cost of rejecting a true +1.
    reject_negative : float or array-like of shape (n_rows,), default=0.25
        Cost of rejecting a true -1.

    Raises
    ------
    InvalidCostsError
        When a price is not a number from 1e-100 to 1e100, when columns have different
        lengths, or when none is a column: that is a `CostMatrix`.

    Examples
    --------
    >>> costs = RowCosts(20.0, [10.0, 10_000.0], 5.0, 5.0)
    >>> costs.decide([0.1, 0.1])
    array([-1,  0], dtype=int8)
    """

    false_positive: Any = 1.0
    false_negative: Any = 1.0
    reject_positive: Any = 0.25
    reject_negative: Any = 0.25

    def __post_init__(self) -> None:
        given = {f.name: _prices(f.name, getattr(self, f.name)) for f in fields(self)}
        lengths = {len(prices) for prices in given.values() if prices.ndim}
        if len(lengths) != 1:
            listed = ", ".join(
                f"{name} {len(prices)}" for name, prices in given.items() if prices.ndim
            )
            msg = (
                f"columns of prices must have one length, got {listed}"
                if listed
                else "at least one price is a column; CostMatrix takes four numbers"
            )
            raise InvalidCostsError(msg)
        for name, prices in given.items():
            whole = np.broadcast_to(prices, tuple(lengths))
            object.__setattr__(self, name, whole)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.false_positive)

    @property
    def thresholds_in_p(self) -> NDArray[np.float64]:
        """Return each row's probabilities where its cheapest decision changes.

        Shape (n_rows, 2): ``p_minus`` and ``p_plus``; the one where +1 and -1 cost the
        same, twice, where rejecting never pays.
        """
        fp, fn = self.false_positive, self.false_negative
        with np.errstate(divide="ignore", invalid="ignore"):  # where it never pays
            lower, upper = self.p_minus, self.p_plus
        pays = (fp > self.reject_negative) & (fn > self.reject_positive)
        pays &= lower < upper
        apart = np.stack((lower, upper), axis=1)
        return np.where(pays[:, np.newaxis], apart, (fp / (fp + fn))[:, np.newaxis])

    def take(self, rows: ArrayLike) -> "RowCosts":
        """Return the prices of some rows, by index or by a mask."""
        chosen = np.asarray(rows)
        return RowCosts(*(getattr(self, each.name)[chosen] for each in fields(self)))

    def decide(self, probability: ArrayLike) -> NDArray[np.int8]:
        """Return the cheapest decision on each row: +1, -1 or 0 (reject).

        That is Chow's rule at each row's own prices; of equally cheap ones a reject,
        where it is among them.

        Parameters
        ----------
        probability : array-like of shape (n_rows,)
            Of +1.
        """
        p = np.asarray(probability, dtype=np.float64)
        if p.shape != (len(self),) or not ((p >= 0.0) & (p <= 1.0)).all():
            msg = f"probability must hold {len(self)} numbers in [0, 1], one a row"
            raise ValueError(msg)
        plus, minus, reject = self.expected(p).T
        called = np.where(plus <= minus, np.int8(1), np.int8(-1))
        answered = np.minimum(plus, minus) < reject
        return np.asarray(np.where(answered, called, np.int8(0)), dtype=np.int8)


def _prices(name: str, given: Any) -> NDArray[np.float64]:
    """Return one price, or one a row; an array that nobody else changes."""
    if np.ma.is_masked(given):
        msg = f"{name} lacks a price (it is masked)"
        raise InvalidCostsError(msg)
    try:
        values = np.asarray(given)
    except ValueError:  # lists of different lengths
        values = np.empty((0, 0))
    if values.ndim <= 1 and values.dtype.kind in "iuf":
        prices = values.astype(np.float64)
        fits = (prices >= LEAST) & (prices <= MOST)
        if prices.ndim and not fits.all():
            row = int(np.argmin(fits))
            msg = (
                f"{name} must be a positive finite number in every row, from"
                f" {LEAST:g} to {MOST:g}; in row {row} it is not"
            )
            raise InvalidCostsError(msg)
        if fits.all():
            return prices
    msg = (
        f"{name} must be a positive finite number, from {LEAST:g} to {MOST:g}, or one"
        " a row"
    )
    raise InvalidCostsError(msg)
