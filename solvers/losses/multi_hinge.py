"""The multi-hinge: log-loss where it matters, at any list of probabilities.

    y = +1:  max_k { -(1 - p_k) z + H(p_k), 0 }
    y = -1:  max_k {      p_k  z + H(p_k), 0 }

with ``H(p) = -p log p - (1 - p) log(1 - p)``. Each line is tangent to the negative
log-likelihood at ``z = logit(p_k)``, so the score tells reliably on which side of every
``p_k`` the probability of +1 lies (Grandvalet et al. 2008, section 6; two
probabilities give their equations 7 and 8).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InvalidLossError
from solvers.losses.piecewise import PiecewiseLinear, by_label
from solvers.losses.registry import register

__all__ = ["MultiHinge", "tangent_rows"]


@register("multi-hinge")
@dataclass(frozen=True, slots=True)
class MultiHinge:
    """Tangents to the log-loss at the given probabilities, and zero.

    Parameters
    ----------
    probabilities : sequence of float
        Strictly ascending, each strictly between 0 and 1, at least one.

    Raises
    ------
    InvalidLossError
        When they are not.
    """

    probabilities: Sequence[float]

    def __post_init__(self) -> None:
        try:
            values = tuple(float(p) for p in self.probabilities)
        except (TypeError, ValueError):
            msg = f"probabilities must be a list of numbers, got {self.probabilities!r}"
            raise InvalidLossError(msg) from None
        object.__setattr__(self, "probabilities", values)
        inside = all(0.0 < p < 1.0 for p in values)
        if not values or not inside or (np.diff(values) <= 0).any():
            msg = f"probabilities must ascend strictly within (0, 1), got {values}"
            raise InvalidLossError(msg)

    def rows(self, targets: ArrayLike) -> PiecewiseLinear:
        """Return one multi-hinge per label."""
        return tangent_rows(np.array(self.probabilities), targets)

    def mirrored(self) -> "MultiHinge":
        """Return the multi-hinge at ``1 - p``."""
        return MultiHinge(tuple(1.0 - p for p in reversed(self.probabilities)))


def tangent_rows(
    probabilities: NDArray[np.float64], labels: ArrayLike
) -> PiecewiseLinear:
    """Return, per label, the largest of the tangents at these probabilities and 0.

    Parameters
    ----------
    probabilities : ndarray of shape (k,), or (n_rows, k) where each row has its own
    labels : array-like of shape (n_rows,), values -1 and +1
    """
    p = np.atleast_2d(probabilities)
    zero = np.zeros((len(p), 1))
    q = 1.0 - p
    entropy = np.hstack((-p * np.log(p) - q * np.log1p(-p), zero))
    positive = PiecewiseLinear.from_lines(np.hstack((-q, zero)), entropy)
    negative = PiecewiseLinear.from_lines(np.hstack((p, zero)), entropy)
    return by_label(positive, negative, labels)
