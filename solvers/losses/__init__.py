"""Convex piecewise-linear losses, one function per row."""

from solvers.losses.piecewise import PiecewiseLinear

__all__ = ["PiecewiseLinear"]
