"""What a stated doubt is worth: the probabilities that people state, calibrated.

Who states the probability p of +1 is taken to mean q,

    logit q = a + b logit p,

with (a, b) the mode of the likelihood of what the cases turned out to be and a normal
prior: around (0, 1), a person who means what is said, for all people together, and
around what that gave for each person. b < 1 is overconfidence, a > 0 calling +1 too
seldom. The intervals are those of the normal distribution at the mode (Platt 1999 for
the curve; MacKay 1992 for the approximation).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["MEANT", "Doubt", "calibrated_doubt"]

Floats = NDArray[np.float64]

_MOST_SURE = 0.99
"""Nobody is taken to be surer: no line goes through an infinite statement."""

_SPREAD = np.array([0.7, 0.5])
_ROUNDS, _STILL, _LONGEST = 100, 1e-10, 1.0
_Z = 1.96


@dataclass(frozen=True, slots=True)
class Doubt:
    """How statements are to be taken.

    Attributes
    ----------
    offset, slope : float
        a and b.
    offset_interval, slope_interval : (low, high)
        With 95 % confidence.
    """

    offset: float
    slope: float
    offset_interval: tuple[float, float]
    slope_interval: tuple[float, float]


MEANT = Doubt(0.0, 1.0, (0.0, 0.0), (1.0, 1.0))
"""Whoever means what they say, but for certainty, which is held at .99."""


def calibrated_doubt(stated: Floats, truth: Floats, around: Doubt = MEANT) -> Doubt:
    """Return how statements are to be taken, by what cases turned out to be.

    Parameters
    ----------
    stated : ndarray of shape (n,)
        Probabilities of +1.
    truth : ndarray of shape (n,)
        1 or 0.
    around : Doubt
        The middle of the prior.
    """
    middle = np.array([around.offset, around.slope])
    rows = np.column_stack([np.ones(len(stated)), _odds(stated)])
    at = middle.copy()
    for _ in range(_ROUNDS):
        q = _logistic(rows @ at)
        pull = rows.T @ (q - truth) + (at - middle) / _SPREAD**2
        bend = (rows * (q * (1.0 - q))[:, None]).T @ rows + np.diag(1.0 / _SPREAD**2)
        step = np.linalg.solve(bend, pull)
        # Far from the mode a whole step may overshoot.
        at -= step * min(1.0, _LONGEST / max(float(np.abs(step).max()), 1e-300))
        if np.abs(step).max() < _STILL:
            break
    wide = _Z * np.sqrt(np.diag(np.linalg.inv(bend)))
    (a, b), (low_a, low_b), (high_a, high_b) = (
        ends.tolist() for ends in (at, at - wide, at + wide)
    )
    return Doubt(a, b, (low_a, high_a), (low_b, high_b))


def _odds(p: Floats) -> Floats:
    held = np.clip(p, 1.0 - _MOST_SURE, _MOST_SURE)
    return np.asarray(np.log(held) - np.log1p(-held))


def _logistic(odds: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))
