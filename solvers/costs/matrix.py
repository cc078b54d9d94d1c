"""Four prices that hold for every row."""

from dataclasses import dataclass, fields
from math import log

import numpy as np

from solvers.costs.priced import LEAST, MOST, Priced
from solvers.errors import InvalidCostsError

__all__ = ["CostMatrix"]


@dataclass(frozen=True, slots=True)
class CostMatrix(Priced):
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
                    f" {LEAST:g} to {MOST:g}, got {value!r}"
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


def _is_price(value: object) -> bool:
    # A boolean is an int in Python and a span of time one in NumPy: no prices.
    if isinstance(value, bool | np.timedelta64) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        return False
    try:
        return LEAST <= float(value) <= MOST
    except OverflowError:  # an int has no largest
        return False


def _logit(p: float) -> float:
    return log(p / (1.0 - p))
