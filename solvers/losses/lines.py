"""A loss given by its user as the largest of some lines."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from solvers.losses.piecewise import PiecewiseLinear, by_label
from solvers.losses.registry import register

__all__ = ["FromLines"]

Lines = tuple[tuple[float, float], ...]


@register("lines")
@dataclass(frozen=True, slots=True)
class FromLines:
    """The largest of lines ``slope * z + intercept``, for each label.

    Parameters
    ----------
    positive : tuple of (slope, intercept)
        The loss of a true +1.
    negative : tuple of (slope, intercept), optional
        The loss of a true -1; by default the mirror image of ``positive``.

    Raises
    ------
    InvalidLossError
        In ``rows``, when a list is empty or a number is not finite.
    """

    positive: Lines
    negative: Lines | None = None

    def rows(self, targets: ArrayLike) -> PiecewiseLinear:
        """Return one function per label."""
        positive = _envelope(self.positive)
        if self.negative is None:
            negative = positive.reflected()
        else:
            negative = _envelope(self.negative)
        return by_label(positive, negative, targets)

    def mirrored(self) -> "FromLines":
        """Return the loss with the lines of both labels exchanged and mirrored."""
        if self.negative is None:
            return self
        return FromLines(_mirror(self.negative), _mirror(self.positive))


def _envelope(lines: Lines) -> PiecewiseLinear:
    table = np.asarray(lines, dtype=np.float64).reshape(1, -1, 2)
    return PiecewiseLinear.from_lines(table[..., 0], table[..., 1])


def _mirror(lines: Lines) -> Lines:
    return tuple((-slope, intercept) for slope, intercept in lines)
