"""Where an active-set solver stands: weights, scores, bias and the free rows.

``settle`` brings every free row to its knot (equation 13 of Grandvalet et al. 2008,
with the ratio test that keeps weights inside their segments); ``move`` changes the
weight of one more row while the free ones answer.
"""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.free_rows import Entry, FreeRows
from solvers.dual.segments import Segments
from solvers.losses.piecewise import PiecewiseLinear

__all__ = ["WorkingPoint"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_EPS = float(np.finfo(np.float64).eps)
_REFACTOR_AFTER = 400


class WorkingPoint:
    """A feasible point of the dual, on its way.

    Parameters
    ----------
    kernel : array of shape (n, n)
    losses : PiecewiseLinear
    weights : array of shape (n,)
        Feasible; changed in place.
    """

    def __init__(
        self, kernel: Floats, losses: PiecewiseLinear, weights: Floats
    ) -> None:
        self.kernel = kernel
        self.segments = Segments.of(losses)
        self.corners, self.targets = self.segments.corners, self.segments.knots
        self.weights = weights
        self.scores = kernel @ weights
        self.bias = 0.0
        self.free = FreeRows(kernel)
        self._segment = np.full(len(weights), -1)
        self._pending = np.zeros(len(weights))
        self._watched = np.zeros(0, dtype=np.int64)
        self._watched_scores = np.zeros(0)
        self._watched_kernel = np.zeros((0, len(weights)))
        self._is_free = np.zeros(len(weights), dtype=bool)
        self._changes = 0
        self._diagonal = float(np.abs(kernel.diagonal()).max(initial=0.0))
        self._box = float(np.ptp(self.corners, axis=1).max(initial=0.0))
        self._knot_size = float(np.abs(self.targets).max(initial=0.0))
        inside = self.segments.inside(weights)
        self._segment[inside] = self.segments.above(inside, weights[inside])
        self._factorise(inside)
        if self.free.count:
            first = self.free.rows
            self.bias = float((self._knots(first) - self.scores[first]).mean())

    def rounding(self) -> float:
        """Return the violation that rounding alone can make."""
        noise = 4.0 * _EPS * self._diagonal * float(np.abs(self.weights).sum())
        return 1e-11 * (1.0 + self._knot_size) + noise

    def settle(self) -> None:
        """Bring all scores up to date, and the free ones to their knots."""
        self._refresh()
        for _ in range(3):
            if self.free.count == 0:
                self._seed()
                return
            rows = self.free.rows
            residual = self._knots(rows) - self.scores[rows] - self.bias
            if np.abs(residual).max() <= 0.1 * self.rounding():
                return
            self._correct(residual, -float(self.weights.sum()))
            self._refresh()
        self.renew()

    def renew(self) -> None:
        """Compute scores and factor anew when next settled."""
        self._changes = _REFACTOR_AFTER

    def violations(self) -> Floats:
        """Return how far each score must rise (> 0) or fall to its interval."""
        rows = np.arange(len(self.weights))
        return self._outside(rows, self.scores)

    def watch(self, rows: Indices) -> None:
        """Keep the scores of these rows up to date during the coming moves."""
        self._watched = rows
        self._watched_scores = self.scores[rows]
        self._watched_kernel = self.kernel[rows]

    def watched_violations(self) -> Floats:
        """Return ``violations`` of the watched rows."""
        return self._outside(self._watched, self._watched_scores)

    def move(self, place: int, *, up: bool, bland: bool) -> bool:
        """Move the watched row at ``place`` until its score or its weight stops it.

        Returns
        -------
        bool
            Whether a weight moved, so that the objective fell.
        """
        row = int(self._watched[place])
        enters = self.segments.above if up else self.segments.below
        one = self._watched[place : place + 1]
        segment = int(enters(one, self.weights[one])[0])
        sign = 1.0 if up else -1.0
        low, high = self.corners[row, segment : segment + 2]
        knot = self.targets[row, segment]
        self._segment[row] = segment
        gained = False
        while self.free.count:
            wanted = sign * (knot - self._watched_scores[place] - self.bias)
            if wanted <= 0.0:
                break
            entry = self.free.entry(row)
            step = wanted / entry.curvature if entry.curvature > 0.0 else np.inf
            room = (high if up else low) - self.weights[row]
            blocking, longest = self._ratio(
                sign * entry.response, min(step, sign * room), bland=bland
            )
            self._shift(row, sign * longest, entry)
            gained |= longest > _EPS * self._box
            if blocking >= 0:
                self._release(blocking)
            elif step <= sign * room:
                self._admit(row, low, high, entry)
                return gained
            else:
                self._set(row, high if up else low)
                return gained
        # Its score is right already, or the bias is free to make it right.
        if self.free.count == 0:
            self.bias = float(knot - self._watched_scores[place])
        self._admit(row, low, high, None)
        return gained

    def _admit(self, row: int, low: float, high: float, entry: Entry | None) -> None:
        """Make a row free, if it is inside its segment or nothing else is free."""
        if self._is_free[row]:
            return
        if low < self.weights[row] < high or self.free.count == 0:
            self._is_free[row] = self.free.append(row, entry)

    def _seed(self) -> None:
        """With no free row, free the one that pulls the bias up most."""
        rows = np.arange(len(self.weights))
        low, high = self.segments.interval(rows, self.weights[rows])
        pull = low - self.scores
        row = int(np.argmax(pull))
        if np.isfinite(pull[row]):
            self.bias = float(pull[row])
            self._segment[row] = self.segments.above(
                rows[row : row + 1], self.weights[row : row + 1]
            )[0]
            self._is_free[row] = self.free.append(row)
        else:
            # Every weight is at its upper end, so this is the one feasible point.
            bound = float((high - self.scores).min())
            self.bias = bound if np.isfinite(bound) else 0.0

    def _correct(self, residual: Floats, missing: float) -> None:
        """Step to the solution of the free rows' equations, as far as ends allow."""
        while self.free.count:
            rows = self.free.rows
            change, drift = self.free.correction(residual, missing)
            blocking, share = self._ratio(change, 1.0, bland=False)
            self._add(rows, share * change)
            self.bias += share * drift
            if blocking < 0:
                return
            residual = np.delete((1.0 - share) * residual, blocking)
            missing *= 1.0 - share
            self._release(blocking)

    def _ratio(
        self, speed: Floats, longest: float, *, bland: bool
    ) -> tuple[int, float]:
        """Return which free weight meets its end first within ``longest``, and when.

        Returns -1 when none does. Among equals the fastest weight leaves, which
        keeps the factor well conditioned; by Bland's rule the lowest number.
        """
        rows = self.free.rows
        rising = speed > 0
        ends = self.corners[rows, self._segment[rows] + rising]
        size = np.abs(speed)
        room = np.maximum(
            np.where(rising, 1.0, -1.0) * (ends - self.weights[rows]), 0.0
        )
        times = np.full(len(rows), np.inf)
        np.divide(room, size, out=times, where=size > 1e-13 * size.max(initial=0.0))
        first = float(times.min(initial=np.inf))
        if first >= longest:
            return -1, longest
        ties = np.flatnonzero(times <= first * (1.0 + 1e-12))
        choice = np.argmin(rows[ties]) if bland else np.argmax(size[ties])
        return int(ties[choice]), first

    def _shift(self, row: int, amount: float, entry: Entry) -> None:
        """Move one weight by ``amount``, and the free ones and the bias with it."""
        if amount == 0.0:
            return
        rows = np.append(self.free.rows, row)
        self._add(rows, amount * np.append(entry.response, 1.0))
        self.bias += amount * entry.drift

    def _add(self, rows: Indices, change: Floats) -> None:
        """Change weights, never past the ends of their segments by rounding."""
        segment = self._segment[rows]
        before = self.weights[rows]
        low, high = self.corners[rows, segment], self.corners[rows, segment + 1]
        after = np.minimum(np.maximum(before + change, low), high)
        self.weights[rows] = after
        self._pending[rows] += after - before
        if len(self._watched):
            self._watched_scores += self._watched_kernel[:, rows] @ change

    def _set(self, row: int, value: float) -> None:
        """Put a weight exactly on a corner that it has reached up to rounding."""
        self._pending[row] += value - self.weights[row]
        self.weights[row] = value

    def _release(self, place: int) -> None:
        """Let a free row go that has met an end of its segment."""
        row = int(self.free.rows[place])
        ends = self.corners[row, self._segment[row] : self._segment[row] + 2]
        self._set(row, float(ends[np.argmin(np.abs(ends - self.weights[row]))]))
        self.free.delete(place)
        self._is_free[row] = False
        self._changes += 1

    def _factorise(self, rows: Indices) -> None:
        """Make these rows the free ones, but for those that depend on others."""
        self.free.reset(rows)
        self._is_free[:] = False
        self._is_free[self.free.rows] = True

    def _refresh(self) -> None:
        """Apply what moved since the last time to all scores."""
        self._watched = self._watched[:0]
        if self._changes >= _REFACTOR_AFTER:
            self._changes = 0
            self.scores = self.kernel @ self.weights
            self._factorise(self.free.rows.copy())
        else:
            moved = np.flatnonzero(self._pending)
            self.scores += self._pending[moved] @ self.kernel[moved]
        self._pending[:] = 0.0

    def _knots(self, rows: Indices) -> Floats:
        return np.asarray(self.targets[rows, self._segment[rows]])

    def _outside(self, rows: Indices, scores: Floats) -> Floats:
        low, high = self.segments.interval(rows, self.weights[rows])
        shifted = scores + self.bias
        rise = np.maximum(low - shifted, 0.0) - np.maximum(shifted - high, 0.0)
        rise[self._is_free[rows]] = 0.0
        return rise
