"""The hinge of the ordinary support vector machine: ``max(0, 1 - y z)``."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from solvers.losses.piecewise import PiecewiseLinear, by_label
from solvers.losses.registry import register

__all__ = ["Hinge"]


@register("hinge")
@dataclass(frozen=True, slots=True)
class Hinge:
    """The hinge loss of labels -1 and +1."""

    def rows(self, targets: ArrayLike) -> PiecewiseLinear:
        """Return one hinge per label."""
        positive = PiecewiseLinear.from_lines([[-1.0, 0.0]], [[1.0, 0.0]])
        return by_label(positive, positive.reflected(), targets)

    def mirrored(self) -> "Hinge":
        """Return itself: the hinge treats both classes alike."""
        return self
