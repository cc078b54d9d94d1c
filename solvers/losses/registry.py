"""The losses by name; tests and documentation read this table.

To add a loss, write one frozen dataclass with ``rows`` and ``mirrored``, decorate it,
and import its module in ``solvers.losses``.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

from numpy.typing import ArrayLike

from solvers.losses.piecewise import PiecewiseLinear

__all__ = ["LOSSES", "Loss", "register"]


class Loss(Protocol):
    """A loss of one example: of its target and of the score f + b."""

    def rows(self, targets: ArrayLike) -> PiecewiseLinear:
        """Return one function of the score per target, at C = 1."""
        ...

    def mirrored(self) -> "Loss":
        """Return the loss with the two classes exchanged (costs swapped)."""
        ...


AnyLoss = TypeVar("AnyLoss", bound=type)

LOSSES: dict[str, type] = {}


def register(name: str) -> Callable[[AnyLoss], AnyLoss]:
    """Return a decorator that enters a loss class under ``name``."""

    def enter(loss: AnyLoss) -> AnyLoss:
        LOSSES[name] = loss
        return loss

    return enter
