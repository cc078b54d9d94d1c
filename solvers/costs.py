"""What each decision costs, and the probabilities at which the cheapest one changes.

======================  ===================  ===================
decision                y = +1               y = -1
======================  ===================  ===================
+1                      0                    ``false_positive``
reject                  ``reject_positive``  ``reject_negative``
-1                      ``false_negative``   0
======================  ===================  ===================

With ``p = P(y = +1)``, calling +1 is cheapest above ``p_plus``, calling -1 below
``p_minus``, rejecting between them (Grandvalet et al. 2008, equation 4).
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import log
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InvalidCostsError

__all__ = ["CostMatrix", "RowCosts"]

_LEAST, _MOST = 1e-100, 1e100


class _Priced:
    """What follows from four prices, one of each or one a row."""

    __slots__ = ()

    false_positive: Any
    false_negative: Any
    reject_positive: Any
    reject_negative: Any

    @property
    def p_minus(self) -> Any:
        """Return the probability of +1 below which calling -1 is cheapest."""
        return self.reject_negative / (
            self.false_negative - self.reject_positive + self.reject_negative
        )

    @property
    def p_plus(self) -> Any:
        """Return the probability of +1 above which calling +1 is cheapest."""
        gain = self.false_positive - self.reject_negative
        return gain / (gain + self.reject_positive)

    def expected(self, probability: ArrayLike) -> NDArray[np.float64]:
        """Return the expected cost of each decision at a probability of +1.

        Parameters
        ----------
        probability : array-like of shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_rows, 3)
            Columns: the cost of deciding +1, of deciding -1, of rejecting.
        """
        p = np.asarray(probability, dtype=np.float64)
        return np.stack(
            (
                (1.0 - p) * self.false_positive,
                p * self.false_negative,
                p * self.reject_positive + (1.0 - p) * self.reject_negative,
            ),
            axis=-1,
        )

    def of_decisions(self, y: ArrayLike, decisions: ArrayLike) -> NDArray[np.float64]:
        """Return what each decision cost, given the true labels.

        Parameters
        ----------
        y : array-like of shape (n_rows,), values -1 and +1
        decisions : array-like of shape (n_rows,), values -1, 0 (reject) and +1

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        positive = np.asarray(y) > 0
        decided = np.asarray(decisions)
        rejected = np.where(positive, self.reject_positive, self.reject_negative)
        wrong = np.where(positive, self.false_negative, self.false_positive)
        correct = decided == np.where(positive, 1, -1)
        cost = np.where(decided == 0, rejected, np.where(correct, 0.0, wrong))
        return np.asarray(cost, dtype=np.float64)

    def at_odds(self, factor: float) -> Self:
        """Return the costs that decide alike where the odds of +1 are multiplied.

        Where each +1 counts ``factor`` times a -1, a row of odds ``o`` seems to have
        ``factor * o``; with the prices of a true +1 divided by it, the cheapest
        decision at those is the cheapest at ``o`` here.
        """
        made: Callable[..., Self] = type(self)
        return made(
            false_positive=self.false_positive,
            false_negative=self.false_negative / factor,
            reject_positive=self.reject_positive / factor,
            reject_negative=self.reject_negative,
        )

    def mirrored(self) -> Self:
        """Return the costs with both classes exchanged."""
        made: Callable[..., Self] = type(self)
        return made(
            false_positive=self.false_negative,
            false_negative=self.false_positive,
            reject_positive=self.reject_negative,
            reject_negative=self.reject_positive,
        )


@dataclass(frozen=True, slots=True)
class CostMatrix(_Priced):
    """The four prices of a decision with a reject option.

    Parameters
    ----------
    false_positive : float, default=1.0
        Cost of calling a true -1 "+1" (the paper's c_-).
    false_negative : float, default=1.0
        Cost of calling a true +1 "-1" (c_+).
    reject_positive : float, default=0.25
        Cost of rejecting a true +1 (r_+).
    reject_negative : float, default=0.25
        Cost of rejecting a true -1 (r_-).

    Raises
    ------
    InvalidCostsError
        When a cost is not a number from 1e-100 to 1e100 (condition 1: products of two
        are compared, and must neither overflow nor vanish), or when
        ``false_positive * reject_positive + false_negative * reject_negative``
        is not below ``false_positive * false_negative`` (condition 2): then
        rejecting is never the cheapest decision.
    """

    false_positive: float = 1.0
    false_negative: float = 1.0
    reject_positive: float = 0.25
    reject_negative: float = 0.25

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, list | tuple) or getattr(value, "ndim", False):
                msg = f"{field.name} is one price; RowCosts takes one a row"
                raise InvalidCostsError(msg)
            if not _is_price(value):
                msg = (
                    f"{field.name} must be a positive finite number, from"
                    f" {_LEAST:g} to {_MOST:g}, got {value!r}"
                )
                raise InvalidCostsError(msg)
            object.__setattr__(self, field.name, float(value))
        left = (
            self.false_positive * self.reject_positive
            + self.false_negative * self.reject_negative
        )
        right = self.false_positive * self.false_negative
        if not left < right:
            msg = (
                "rejecting must be able to pay off: false_positive * reject_positive"
                " + false_negative * reject_negative < false_positive * false_negative,"
                f" but {left:g} >= {right:g}; lower the reject costs"
            )
            raise InvalidCostsError(msg)
        # Equality up to rounding can pass the test above and still leave no band.
        if not 0.0 < self.p_minus < self.p_plus < 1.0:
            msg = (
                "the costs leave no band of probabilities to reject:"
                f" p_minus = {self.p_minus!r}, p_plus = {self.p_plus!r}"
            )
            raise InvalidCostsError(msg)

    @property
    def thresholds(self) -> tuple[float, float]:
        """Return (f_-, f_+): the log-odds of ``p_minus`` and ``p_plus``."""
        return _logit(self.p_minus), _logit(self.p_plus)

    @property
    def is_symmetric(self) -> bool:
        """Tell whether both classes have the same costs."""
        return (
            self.false_positive == self.false_negative
            and self.reject_positive == self.reject_negative
        )


@dataclass(frozen=True, slots=True, eq=False)
class RowCosts(_Priced):
    """The four prices of a decision, row by row: a fraud of 10 is none of 10,000.

    Where asking a person costs more than it can save, which is so of a small amount
    at a fixed price of a review, a row is called the cheaper of +1 and -1.

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
            told = ", ".join(
                f"{name} {len(prices)}" for name, prices in given.items() if prices.ndim
            )
            msg = (
                f"columns of prices must have one length, got {told}"
                if told
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


def _is_price(value: object) -> bool:
    # A boolean is an int in Python and a span of time one in NumPy: no prices.
    if isinstance(value, bool | np.timedelta64) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        return False
    try:
        return _LEAST <= float(value) <= _MOST
    except OverflowError:  # an int has no largest
        return False


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
        fits = (prices >= _LEAST) & (prices <= _MOST)
        if prices.ndim and not fits.all():
            row = int(np.argmin(fits))
            msg = (
                f"{name} must be a positive finite number in every row, from"
                f" {_LEAST:g} to {_MOST:g}; in row {row} it is not"
            )
            raise InvalidCostsError(msg)
        if fits.all():
            return prices
    msg = (
        f"{name} must be a positive finite number, from {_LEAST:g} to {_MOST:g}, or one"
        " a row"
    )
    raise InvalidCostsError(msg)


def _logit(p: float) -> float:
    return log(p / (1.0 - p))
