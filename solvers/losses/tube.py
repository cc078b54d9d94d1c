"""The probability tube: scores whose logistic link stays near a probability.

For a target ``p`` in [0, 1] and a half-width ``eta`` in (0, 1/2), with
``a = log(1/eta - 1)``:

    p > 1 - eta    the hinge of +1              max(0, 1 - z)
    p < eta        the hinge of -1              max(0, 1 + z)
    else           max(0, z_- - z, z - z_+),    z_-+ = logit(p -+ eta) / a

A probability ``p - eta <= 0`` has no lower side and ``p + eta >= 1`` no upper one.
Source: Niaf, Flamary, Lartizien, Canu (2011), equations 2, 3 and 6.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InvalidLossError
from solvers.losses.piecewise import PiecewiseLinear
from solvers.losses.registry import register

__all__ = ["ProbabilityTube"]

Floats = NDArray[np.float64]


@register("probability-tube")
@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityTube:
    """A tube around the probability of +1, one target per row.

    Parameters
    ----------
    eta : float or array of shape (n_rows,)
        Half-width of the tube, strictly between 0 and 1/2.

    Raises
    ------
    InvalidLossError
        When eta or a probability is out of range.
    """

    eta: float | Floats = 0.1

    def __post_init__(self) -> None:
        eta = np.asarray(self.eta, dtype=np.float64)
        if not ((eta > 0) & (eta < 0.5)).all():
            msg = f"eta must lie strictly between 0 and 1/2, got {self.eta!r}"
            raise InvalidLossError(msg)

    def rows(self, targets: ArrayLike) -> PiecewiseLinear:
        """Return one tube (or hinge, near certainty) per probability."""
        p = np.asarray(targets, dtype=np.float64)
        if not ((p >= 0) & (p <= 1)).all():
            msg = "probabilities must lie in [0, 1]"
            raise InvalidLossError(msg)
        eta = np.broadcast_to(np.asarray(self.eta, dtype=np.float64), p.shape)
        scale = np.log1p(-eta) - np.log(eta)
        # As certain as the precision allows: one hinge with its knot at +-1.
        sure_plus, sure_minus = p > 1.0 - eta, p < eta
        hard = np.where(sure_plus, 1.0, -1.0)
        below = np.where(sure_plus | sure_minus, hard, _logit(p - eta) / scale)
        above = np.where(sure_plus | sure_minus, hard, _logit(p + eta) / scale)
        falls = np.where(sure_minus | np.isneginf(below), 0.0, -1.0)
        rises = np.where(sure_plus | np.isposinf(above), 0.0, 1.0)
        below, above = (
            np.where(np.isneginf(below), above, below),
            np.where(np.isposinf(above), below, above),
        )
        knots = np.stack([below, above], axis=1)
        slopes = np.stack([falls, np.zeros_like(falls), rises], axis=1)
        return PiecewiseLinear(knots, slopes, np.zeros(len(p)))

    def mirrored(self) -> "ProbabilityTube":
        """Return itself: the tube of ``1 - p`` is the mirror image of that of p."""
        return self


def _logit(p: Floats) -> Floats:
    """Return the log-odds, -inf at or below 0 and +inf at or above 1."""
    inside = np.clip(p, 0.0, 1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(inside) - np.log1p(-inside))
