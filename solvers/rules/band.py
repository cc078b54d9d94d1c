"""What every reject rule becomes once it is fitted: two thresholds.

    open    +1 if v > upper,    -1 if v < lower,  else reject
    closed  +1 if v >= upper,   -1 if v < lower,  else reject

Open is equation (9) of Grandvalet et al. (2008): ties reject. Closed is equation (2)
of Xu and Hu (2013): no value is rejected where the thresholds are equal. A value that
is no number is always rejected. ``on`` says what ``v`` is: the score, the calibrated
probability of +1, or (joint boosters) the pair (h, r), where r <= 0 rejects and the
sign of h decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, isfinite, isnan
from sys import float_info
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Band", "Scale"]

Scale = Literal["score", "probability", "reject-function"]


@dataclass(frozen=True, slots=True)
class Band:
    """Decide by two thresholds.

    Parameters
    ----------
    lower, upper : float
        ``lower <= upper``; ``-inf`` and ``+inf`` together reject everything.
    closed : bool, default=False
        Whether a value equal to ``upper`` is called +1.
    on : {"score", "probability", "reject-function"}
        The scale on which the thresholds live.

    Raises
    ------
    ValueError
        When ``lower`` exceeds ``upper`` or either is no number.
    """

    lower: float
    upper: float
    closed: bool = False
    on: Scale = "score"

    def __post_init__(self) -> None:
        if isnan(self.lower) or isnan(self.upper) or not self.lower <= self.upper:
            msg = f"lower must not exceed upper, got {self.lower} and {self.upper}"
            raise ValueError(msg)

    def decide(
        self, values: ArrayLike, reject_scores: ArrayLike | None = None
    ) -> NDArray[np.int8]:
        """Return +1, -1 or 0 (reject) for each value, shape (n_rows,).

        Parameters
        ----------
        values : array-like of shape (n_rows,)
            Scores, or probabilities where ``on`` says so.
        reject_scores : array-like of shape (n_rows,), optional
            r(x); needed where ``on`` is "reject-function" and only there.
        """
        v = np.asarray(values, dtype=np.float64)
        if self.on == "reject-function":
            if reject_scores is None:
                msg = "a rule on the reject function needs reject_scores beside scores"
                raise ValueError(msg)
            accepted = (np.asarray(reject_scores) > 0.0) & ~np.isnan(v)
            sign = np.where(v > 0.0, np.int8(1), np.int8(-1))
            return np.asarray(np.where(accepted, sign, np.int8(0)), dtype=np.int8)
        above = v >= self.upper if self.closed else v > self.upper
        return np.subtract(above, v < self.lower, dtype=np.int8)

    def decision_of(self, value: float, reject_score: float | None = None) -> int:
        """Return what `decide` does, for one value."""
        if self.on == "reject-function":
            if reject_score is None:
                msg = "a rule on the reject function needs a reject_score beside value"
                raise ValueError(msg)
            if not reject_score > 0.0 or isnan(value):
                return 0
            return 1 if value > 0.0 else -1
        above = value >= self.upper if self.closed else value > self.upper
        return above - (value < self.lower)

    @property
    def always(self) -> Literal["+1", "-1", "reject"] | None:
        """Return the decision that is taken on every finite value, if there is one."""
        if self.on == "reject-function":
            return None
        if self.upper == -inf:
            return "+1"
        if self.lower == inf:
            return "-1"
        return "reject" if (self.lower, self.upper) == (-inf, inf) else None

    def payload(self) -> dict[str, Any]:
        """Return the band as JSON-able facts.

        A threshold that does not exist is ``None``: nothing is called -1 where there is
        no ``lower``, nothing +1 where there is no ``upper``. Where every value gets the
        same decision there are none, and ``always`` names the decision.
        """
        return {
            "on": self.on,
            "lower": self.lower if isfinite(self.lower) else None,
            "upper": self.upper if isfinite(self.upper) else None,
            "closed": self.closed,
            "always": self.always,
        }

    def thresholds(self) -> dict[str, Any] | None:
        """Return the thresholds with their scale; a joint booster's rule has none."""
        if self.on == "reject-function":
            return None
        facts = self.payload()
        return {name: facts[name] for name in ("lower", "upper", "on", "always")}

    @classmethod
    def from_payload(cls, facts: Mapping[str, Any]) -> "Band":
        """Return the band that ``payload`` described."""
        lower, upper = facts.get("lower"), facts.get("upper")
        always = facts.get("always")
        # Before there was "always", the largest number stood for an infinite end.
        if always == "+1" or upper == -float_info.max:
            lower = upper = -inf
        elif always == "-1" or lower == float_info.max:
            lower = upper = inf
        return cls(
            lower=-inf if lower is None else float(lower),
            upper=inf if upper is None else float(upper),
            closed=bool(facts.get("closed", False)),
            on=facts.get("on", "score"),
        )
