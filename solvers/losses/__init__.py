"""Convex piecewise-linear losses, one function per row."""

from solvers.losses.double_hinge import DoubleHinge
from solvers.losses.hinge import Hinge
from solvers.losses.lines import FromLines
from solvers.losses.multi_hinge import MultiHinge
from solvers.losses.piecewise import PiecewiseLinear
from solvers.losses.registry import LOSSES, Loss
from solvers.losses.tube import ProbabilityTube

__all__ = [
    "LOSSES",
    "DoubleHinge",
    "FromLines",
    "Hinge",
    "Loss",
    "MultiHinge",
    "PiecewiseLinear",
    "ProbabilityTube",
]
