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

from dataclasses import dataclass, fields, replace
from math import log

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InvalidCostsError

__all__ = ["CostMatrix"]

_LEAST, _MOST = 1e-100, 1e100


@dataclass(frozen=True, slots=True)
class CostMatrix:
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
            # A boolean is an int in Python, and never a price.
            if isinstance(value, bool | np.bool_) or not _is_price(value):
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
    def p_minus(self) -> float:
        """Return the probability of +1 below which calling -1 is cheapest."""
        return self.reject_negative / (
            self.false_negative - self.reject_positive + self.reject_negative
        )

    @property
    def p_plus(self) -> float:
        """Return the probability of +1 above which calling +1 is cheapest."""
        gain = self.false_positive - self.reject_negative
        return gain / (gain + self.reject_positive)

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

    def at_odds(self, factor: float) -> "CostMatrix":
        """Return the costs that decide alike where the odds of +1 are multiplied.

        Where each +1 counts ``factor`` times a -1, a row of odds ``o`` seems to have
        ``factor * o``; with the prices of a true +1 divided by it, the cheapest
        decision at those is the cheapest at ``o`` here.
        """
        return replace(
            self,
            false_negative=self.false_negative / factor,
            reject_positive=self.reject_positive / factor,
        )

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


def _is_price(value: object) -> bool:
    if not isinstance(value, int | float | np.integer | np.floating):
        return False
    return _LEAST <= float(value) <= _MOST


def _logit(p: float) -> float:
    return log(p / (1.0 - p))
