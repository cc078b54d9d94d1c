"""A fitted calibration: plain data that maps a score to a probability of +1.

    sigmoid, link    p = 1 / (1 + exp(-(slope f + intercept)))
    isotonic         p = linear interpolation between knots, constant beyond them

and then, where the share of +1 in use differs from that in the rows it was fitted on,
``odds(p) exp(log_odds_shift)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, log
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Calibration"]

Floats = NDArray[np.float64]
_NO_KNOTS: Floats = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Turn scores into probabilities of +1.

    Parameters
    ----------
    kind : {"sigmoid", "isotonic", "link"}
    slope, intercept : float
        Of the log-odds, for "sigmoid" and "link".
    knots, heights : ndarray of shape (k,)
        Ascending scores and their probabilities, for "isotonic".
    log_odds_shift : float, default=0.0
        Added to the log-odds; see ``with_prevalence``.
    prevalence : float or None
        Share of +1 among the rows it was fitted on.
    rows : int, default=0
        How many rows it was fitted on (0: none were needed).
    notes : tuple of str
        What a reader of the probabilities should know.
    """

    kind: Literal["sigmoid", "isotonic", "link"]
    slope: float = 1.0
    intercept: float = 0.0
    knots: Floats = field(default_factory=lambda: _NO_KNOTS)
    heights: Floats = field(default_factory=lambda: _NO_KNOTS)
    log_odds_shift: float = 0.0
    prevalence: float | None = None
    rows: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in {"sigmoid", "isotonic", "link"}:
            msg = f"kind must be sigmoid, isotonic or link, got {self.kind!r}"
            raise ValueError(msg)
        numbers = (self.slope, self.intercept, self.log_odds_shift)
        if not all(isfinite(number) for number in numbers):
            msg = f"slope, intercept and shift must be finite, got {numbers}"
            raise ValueError(msg)
        if self.kind == "isotonic" and not self.knots.size:
            msg = "an isotonic calibration needs at least one knot"
            raise ValueError(msg)

    @classmethod
    def link(cls, slope: float) -> "Calibration":
        """Return the machine's own link, P(y = +1) = 1 / (1 + exp(-slope f))."""
        return cls("link", slope=float(slope))

    def probability(self, scores: ArrayLike) -> Floats:
        """Return the probability of +1 for each score, shape (n_rows,)."""
        f = np.asarray(scores, dtype=np.float64)
        if self.kind != "isotonic":
            return _logistic(self.slope * f + (self.intercept + self.log_odds_shift))
        p = np.interp(f, self.knots, self.heights)
        if self.log_odds_shift == 0.0:
            return p
        return _logistic(np.log(p) - np.log1p(-p) + self.log_odds_shift)

    def probability_of(self, score: float) -> float:
        """Return the probability of +1 for one score: the bits of `probability`."""
        if self.kind == "isotonic":
            return float(self.probability(score))
        z = self.slope * score + (self.intercept + self.log_odds_shift)
        return 1.0 / (1.0 + float(np.exp(min(-z, 700.0))))

    def with_prevalence(self, prevalence: float) -> "Calibration":
        """Return the calibration where the share of +1 is ``prevalence``.

        The class-conditional score densities stay, so the odds change by the ratio
        of the prior odds.

        Raises
        ------
        ValueError
            When the share is outside (0, 1), or the calibration does not know the
            share of +1 it was fitted at.
        """
        if not 0.0 < prevalence < 1.0:
            msg = f"prevalence must lie strictly between 0 and 1, got {prevalence!r}"
            raise ValueError(msg)
        if self.prevalence is None:
            msg = "this calibration does not know the share of +1 it was fitted at"
            raise ValueError(msg)
        shift = _logit(prevalence) - _logit(self.prevalence)
        return replace(self, log_odds_shift=shift)

    def payload(self) -> dict[str, Any]:
        """Return the calibration as JSON-able facts."""
        return {
            "kind": self.kind,
            "slope": float(self.slope),
            "intercept": float(self.intercept),
            "knots": self.knots.tolist(),
            "heights": self.heights.tolist(),
            "log_odds_shift": float(self.log_odds_shift),
            "prevalence": self.prevalence,
            "rows": int(self.rows),
            "notes": list(self.notes),
        }

    @classmethod
    def from_payload(cls, facts: Mapping[str, Any]) -> "Calibration":
        """Return the calibration that ``payload`` described."""
        return cls(
            kind=facts["kind"],
            slope=float(facts["slope"]),
            intercept=float(facts["intercept"]),
            knots=np.asarray(facts["knots"], dtype=np.float64),
            heights=np.asarray(facts["heights"], dtype=np.float64),
            log_odds_shift=float(facts["log_odds_shift"]),
            prevalence=facts["prevalence"],
            rows=int(facts["rows"]),
            notes=tuple(facts["notes"]),
        )


def _logistic(z: Floats) -> Floats:
    # exp(700) is finite, and its inverse is as good as 0; NaN stays NaN.
    return np.asarray(1.0 / (1.0 + np.exp(np.minimum(-z, 700.0))))


def _logit(p: float) -> float:
    return log(p / (1.0 - p))
