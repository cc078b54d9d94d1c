"""A fitted calibration: plain data that maps a score to a probability of +1.

    sigmoid, link    log-odds slope f + intercept
    curve            log-odds linear between knots, constant beyond them
    isotonic         probability linear between knots, constant beyond them

and then, where the share of +1 in use differs from that in the rows it was fitted on,
``odds(p) exp(log_odds_shift)``. Whatever the score, ``FLOOR <= p <= 1 - FLOOR``: no
finite number of rows shows that a class cannot be. Versions of earlier releases are
isotonic; none is fitted now (see `solvers.calibration.curve`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import isfinite, log
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["FARTHEST", "FLOOR", "Calibration"]

Floats = NDArray[np.float64]

FLOOR = 1e-6
"""The smallest probability of either class that is ever told."""
FARTHEST = log((1.0 - FLOOR) / FLOOR)
"""The largest log-odds of either class."""
_KINDS = ("sigmoid", "curve", "isotonic", "link")
_NO_KNOTS: Floats = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Turn scores into probabilities of +1.

    Parameters
    ----------
    kind : {"sigmoid", "curve", "isotonic", "link"}
    slope, intercept : float
        Of the log-odds, for "sigmoid" and "link".
    knots, heights : ndarray of shape (k,)
        Ascending scores with their log-odds ("curve") or probabilities ("isotonic").
    log_odds_shift : float, default=0.0
        Added to the log-odds; see ``with_prevalence``.
    prevalence : float or None
        Share of +1 among the rows it was fitted on.
    rows : int, default=0
        How many rows it was fitted on (0: none were needed).
    notes : tuple of str
        What a reader of the probabilities should know.
    """

    kind: Literal["sigmoid", "curve", "isotonic", "link"]
    slope: float = 1.0
    intercept: float = 0.0
    knots: Floats = field(default_factory=lambda: _NO_KNOTS)
    heights: Floats = field(default_factory=lambda: _NO_KNOTS)
    log_odds_shift: float = 0.0
    prevalence: float | None = None
    rows: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            msg = f"kind must be one of {', '.join(_KINDS)}, got {self.kind!r}"
            raise ValueError(msg)
        numbers = (self.slope, self.intercept, self.log_odds_shift)
        if not all(isfinite(number) for number in numbers):
            msg = f"slope, intercept and shift must be finite, got {numbers}"
            raise ValueError(msg)
        if self._knotted and not self.knots.size:
            msg = f"a calibration of kind {self.kind} needs at least one knot"
            raise ValueError(msg)

    @classmethod
    def link(cls, slope: float, odds: float = 1.0) -> "Calibration":
        """Return the machine's own link, P(y = +1) = 1 / (1 + exp(-slope f)).

        Where each +1 counted ``odds`` times a -1, those odds are taken back.
        """
        return cls("link", slope=float(slope), intercept=-log(odds))

    @property
    def _knotted(self) -> bool:
        return self.kind in {"curve", "isotonic"}

    def probability(self, scores: ArrayLike) -> Floats:
        """Return the probability of +1 for each score, shape (n_rows,)."""
        f = np.asarray(scores, dtype=np.float64)
        if not self._knotted:
            z = self.slope * f + (self.intercept + self.log_odds_shift)
        else:
            z = np.interp(f, self.knots, self.heights)
            if self.kind == "isotonic":
                z = np.clip(z, FLOOR, 1.0 - FLOOR)
                z = np.log(z) - np.log1p(-z)
            z = z + self.log_odds_shift
        return _logistic(z)

    def probability_of(self, score: float) -> float:
        """Return the probability of +1 for one score: the bits of `probability`."""
        if self.kind == "isotonic":
            return float(self.probability(score))
        if self._knotted:
            z = float(np.interp(score, self.knots, self.heights)) + self.log_odds_shift
        else:
            z = self.slope * score + (self.intercept + self.log_odds_shift)
        # numbers, not arrays of one: a third of the time
        return 1.0 / (1.0 + float(np.exp(min(max(-z, -FARTHEST), FARTHEST))))

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
    # NaN stays NaN.
    return np.asarray(1.0 / (1.0 + np.exp(np.clip(-z, -FARTHEST, FARTHEST))))


def _logit(p: float) -> float:
    return log(p / (1.0 - p))
