"""Convex piecewise-linear functions, one per row, as arrays.

    L(z) = v_1 + s_0 (z - z_1) + sum_k (s_k - s_{k-1}) max(z - z_k, 0)

with knots ``z_1 <= ... <= z_K``, slopes ``s_0 <= ... <= s_K`` and the height
``v_1 = L(z_1)``. The conjugate ``L*(u) = sup_z (u z - L(z))`` is the largest of the
lines ``u z_k - v_k`` on ``[s_0, s_K]`` and infinite outside: knots and slopes swap
roles. Every kernel trainer is a list of such functions, so one dual problem and one
solver serve hinge, double hinge, multi-hinge and the P-SVM's tube alike.

A row with fewer knots than its neighbours carries inert ones: a repeated knot whose
slope is the same on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InvalidLossError

__all__ = ["PiecewiseLinear", "by_label"]

Floats = NDArray[np.float64]

# Differences and sums of such numbers are finite.
_LARGEST = 1e300


@dataclass(frozen=True, slots=True, eq=False)
class PiecewiseLinear:
    """One convex piecewise-linear function per row.

    Parameters
    ----------
    knots : array of shape (n_rows, n_knots), n_knots >= 1
        Where the slope changes, ascending in each row, finite.
    slopes : array of shape (n_rows, n_knots + 1)
        Slope left of the first knot, between knots, right of the last one;
        non-decreasing in each row, finite.
    heights : array of shape (n_rows,)
        Value at the first knot.

    Raises
    ------
    InvalidLossError
        When shapes disagree, a number is not finite, or a row is not convex.
    """

    knots: Floats
    slopes: Floats
    heights: Floats

    def __post_init__(self) -> None:
        for name in ("knots", "slopes", "heights"):
            values = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            if not np.isfinite(values).all():
                msg = f"{name} must be finite; drop an infinite knot with its step"
                raise InvalidLossError(msg)
            object.__setattr__(self, name, values)
        _check_shapes(self.knots, self.slopes, self.heights)
        for name in ("knots", "slopes"):
            falls = (np.diff(getattr(self, name), axis=1) < 0).any(axis=1)
            if falls.any():
                row = int(np.argmax(falls))
                msg = f"{name} must ascend, row {row} has {getattr(self, name)[row]}"
                raise InvalidLossError(msg)

    @classmethod
    def from_lines(cls, slopes: ArrayLike, intercepts: ArrayLike) -> "PiecewiseLinear":
        """Return the upper envelope of lines ``slope * z + intercept``.

        Parameters
        ----------
        slopes, intercepts : array-like of shape (n_rows, n_lines)
            Each row's lines, in any order. Lines below the others are dropped, those
            that pass them farther out than numbers reach included.

        Raises
        ------
        InvalidLossError
            When shapes disagree, or a number is not finite or too large to be told
            from its neighbours.
        """
        steep = np.atleast_2d(np.asarray(slopes, dtype=np.float64))
        offset = np.atleast_2d(np.asarray(intercepts, dtype=np.float64))
        if steep.shape != offset.shape or steep.shape[1] == 0:
            msg = f"lines need equal shapes, got {steep.shape} and {offset.shape}"
            raise InvalidLossError(msg)
        if not (np.abs(steep) <= _LARGEST).all() & (np.abs(offset) <= _LARGEST).all():
            msg = f"slopes and intercepts of lines must lie within {_LARGEST:g} of 0"
            raise InvalidLossError(msg)
        # A crossing out of all reach is infinite; a height that is gets refused.
        with np.errstate(over="ignore"):
            envelope = _upper_envelope(steep, offset)
        return cls(*envelope)

    @property
    def n_rows(self) -> int:
        """Return the number of functions."""
        return len(self.heights)

    @property
    def knot_heights(self) -> Floats:
        """Return the value at every knot, shape (n_rows, n_knots)."""
        rises = self.slopes[:, 1:-1] * np.diff(self.knots, axis=1)
        first = self.heights[:, np.newaxis]
        return np.concatenate([first, first + np.cumsum(rises, axis=1)], axis=1)

    def value(self, z: ArrayLike) -> Floats:
        """Return each row's function at its own point, shape (n_rows,)."""
        point = np.asarray(z, dtype=np.float64)[:, np.newaxis]
        steps = np.diff(self.slopes, axis=1)
        bends = (steps * np.maximum(point - self.knots, 0.0)).sum(axis=1)
        line = self.slopes[:, 0] * (point[:, 0] - self.knots[:, 0])
        return np.asarray(self.heights + line + bends)

    def conjugate(self, u: ArrayLike) -> Floats:
        """Return ``sup_z (u z - L(z))`` of each row, infinite outside its slopes."""
        slope = np.asarray(u, dtype=np.float64)
        lines = slope[:, np.newaxis] * self.knots - self.knot_heights
        outside = (slope < self.slopes[:, 0]) | (slope > self.slopes[:, -1])
        return np.where(outside, np.inf, lines.max(axis=1))

    def knot_interval(self, beta: ArrayLike) -> tuple[Floats, Floats]:
        """Return (low, high): the points z at which ``-beta`` is a subgradient.

        At a slope of the function this is the interval between its two knots
        (infinite beyond the outer ones), strictly between two slopes one knot.
        An optimal weight ``beta_i`` has its score in this interval.
        """
        slope = -np.asarray(beta, dtype=np.float64)[:, np.newaxis]
        end = np.full((self.n_rows, 1), np.inf)
        edges = np.concatenate([-end, self.knots, end], axis=1)
        first_above = (self.slopes < slope).sum(axis=1, keepdims=True)
        last_below = (self.slopes <= slope).sum(axis=1, keepdims=True)
        low = np.take_along_axis(edges, first_above, axis=1)[:, 0]
        high = np.take_along_axis(edges, last_below, axis=1)[:, 0]
        return low, high

    def reflected(self) -> "PiecewiseLinear":
        """Return ``z -> L(-z)``."""
        return PiecewiseLinear(
            -self.knots[:, ::-1], -self.slopes[:, ::-1], self.knot_heights[:, -1]
        )

    def weighted(self, weights: ArrayLike) -> "PiecewiseLinear":
        """Return each row's function times its weight >= 0 (0: the zero function)."""
        scale = np.broadcast_to(np.asarray(weights, dtype=np.float64), self.n_rows)
        if (scale < 0).any():
            msg = f"weights of a loss must be >= 0, got {scale.min()}"
            raise InvalidLossError(msg)
        slopes = self.slopes * scale[:, np.newaxis]
        return PiecewiseLinear(self.knots, slopes, self.heights * scale)

    def take(self, rows: ArrayLike) -> "PiecewiseLinear":
        """Return the functions of these rows (indices, repeats allowed, or a mask)."""
        index = np.asarray(rows)
        return PiecewiseLinear(
            self.knots[index], self.slopes[index], self.heights[index]
        )

    @classmethod
    def concatenated(cls, parts: Sequence["PiecewiseLinear"]) -> "PiecewiseLinear":
        """Stack functions, padding rows to the largest number of knots."""
        width = max(part.knots.shape[1] for part in parts)
        knots, slopes = [], []
        for part in parts:
            extra = ((0, 0), (0, width - part.knots.shape[1]))
            knots.append(np.pad(part.knots, extra, mode="edge"))
            slopes.append(np.pad(part.slopes, extra, mode="edge"))
        heights = [part.heights for part in parts]
        return cls(
            np.concatenate(knots), np.concatenate(slopes), np.concatenate(heights)
        )


def _check_shapes(knots: Floats, slopes: Floats, heights: Floats) -> None:
    rows, width = knots.shape if knots.ndim == 2 else (-1, 0)
    if width < 1 or slopes.shape != (rows, width + 1) or heights.shape != (rows,):
        msg = (
            "knots, slopes and heights must have shapes (n, K), (n, K + 1), (n,) with"
            f" K >= 1, got {knots.shape}, {slopes.shape}, {heights.shape}"
        )
        raise InvalidLossError(msg)


def _upper_envelope(slopes: Floats, intercepts: Floats) -> tuple[Floats, ...]:
    """Return knots, slopes and heights of the largest of each row's lines.

    A line is part of the envelope exactly when the last crossing with a flatter
    line (smaller slope) comes before the first crossing with a steeper one.
    """
    order = np.lexsort((intercepts, slopes), axis=1)
    steep = np.take_along_axis(slopes, order, axis=1)
    offset = np.take_along_axis(intercepts, order, axis=1)
    rows, lines = steep.shape
    starts = np.full((rows, lines), -np.inf)
    ends = np.full((rows, lines), np.inf)
    for first in range(lines):
        for second in range(first + 1, lines):
            rise = steep[:, second] - steep[:, first]
            drop = offset[:, first] - offset[:, second]
            parallel = rise == 0
            crossing = np.where(parallel, -np.inf, drop / np.where(parallel, 1, rise))
            starts[:, second] = np.maximum(starts[:, second], crossing)
            ends[:, first] = np.minimum(ends[:, first], crossing)
    visible = starts < ends  # the flattest line always is: it starts at -infinity
    front = np.argsort(~visible, axis=1, kind="stable")
    count = visible.sum(axis=1, keepdims=True)
    front = np.take_along_axis(front, np.minimum(np.arange(lines), count - 1), axis=1)
    width = max(int(count.max()), 2)
    front = np.pad(front, ((0, 0), (0, max(0, width - lines))), mode="edge")[:, :width]
    steep = np.take_along_axis(steep, front, axis=1)
    offset = np.take_along_axis(offset, front, axis=1)
    rise = np.diff(steep, axis=1)
    meet = np.where(rise == 0, -np.inf, -np.diff(offset, axis=1) / (rise + (rise == 0)))
    meet[np.isneginf(meet[:, 0]), 0] = 0.0
    knots = np.maximum.accumulate(meet, axis=1)
    return knots, steep, steep[:, 0] * knots[:, 0] + offset[:, 0]


def by_label(
    positive: PiecewiseLinear, negative: PiecewiseLinear, labels: ArrayLike
) -> PiecewiseLinear:
    """Return ``positive`` where the label is +1 and ``negative`` where it is -1.

    Parameters
    ----------
    positive, negative : PiecewiseLinear
        One row each, or one for each label.
    labels : array-like of shape (n_rows,), values -1 and +1

    Raises
    ------
    InvalidLossError
        When a label is neither.
    """
    y = np.asarray(labels)
    if not np.isin(y, (-1, 1)).all():
        msg = f"labels must be -1 or +1, got {np.setdiff1d(y, (-1, 1))[:5]}"
        raise InvalidLossError(msg)
    both = PiecewiseLinear.concatenated([positive, negative])
    own = np.arange(len(y)) if positive.n_rows > 1 else np.zeros(len(y), dtype=np.intp)
    return both.take(own + positive.n_rows * (y < 0))
