"""Predictor-corrector steps for a box-constrained QP whose rows come in segments.

    min_u  1/2 beta'K beta - knot'u    subject to  0 <= u <= length,  1'beta = 0

with ``beta_i`` a base value plus the sum of row i's entries of ``u``. Eliminating
``u`` from the Newton system leaves ``(K + W) dbeta + 1 db``, ``W`` diagonal and
positive: one dense Cholesky factor a step, whatever the number of segments.
Source: Mehrotra's method as in Nocedal and Wright (2006), section 16.6.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

__all__ = ["InteriorPoint", "SplitProblem", "newton_step"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SplitProblem:
    """The split problem: one entry per segment of positive length."""

    kernel: Floats
    row: NDArray[np.int64]
    length: Floats
    knot: Floats
    base: Floats

    def weights(self, u: Floats) -> Floats:
        """Return ``beta``, shape (n,)."""
        total = np.bincount(self.row, u, minlength=len(self.base))
        return np.asarray(self.base + total)


@dataclass(frozen=True, slots=True, eq=False)
class InteriorPoint:
    """Segments, the multipliers of their two ends, and of the sum."""

    u: Floats
    low: Floats
    high: Floats
    bias: float

    def complementarity(self, split: SplitProblem) -> float:
        """Return the mean product of an end's distance and its multiplier."""
        ends = self.u @ self.low + (split.length - self.u) @ self.high
        return float(ends) / (2 * len(self.u))

    def gap(self, split: SplitProblem) -> float:
        """Return the complementarity per end, relative to the objective."""
        weights = split.weights(self.u)
        size = abs(0.5 * weights @ split.kernel @ weights - split.knot @ self.u)
        return float(self.complementarity(split) / (size + 1e-300))


def newton_step(split: SplitProblem, state: InteriorPoint) -> InteriorPoint | None:
    """Take one predictor-corrector step; None when rounding allows no more."""
    room = split.length - state.u
    weights = split.weights(state.u)
    pull = (split.kernel @ weights)[split.row] + state.bias - split.knot
    slack = pull - state.low + state.high
    bend = state.low / state.u + state.high / room
    rows = np.unique(split.row)
    give = np.bincount(split.row, 1.0 / bend, minlength=len(weights))[rows]
    system = split.kernel[np.ix_(rows, rows)] + np.diag(1.0 / give)
    try:
        factor = cho_factor(system)
    except (np.linalg.LinAlgError, ValueError):
        return None
    ones = cho_solve(factor, np.ones(len(rows)))

    def direction(
        low_aim: Floats, high_aim: Floats
    ) -> tuple[Floats, Floats, Floats, float]:
        # low_aim and high_aim are what u dlow + low du and its mirror must reach.
        right = -slack + low_aim / state.u - high_aim / room
        shared = np.bincount(split.row, right / bend, minlength=len(weights))[rows]
        half = cho_solve(factor, shared / give)
        drift = (half.sum() + weights.sum()) / ones.sum()
        change = np.zeros(len(weights))
        change[rows] = half - drift * ones
        du = (right - (split.kernel @ change)[split.row] - drift) / bend
        dlow = (low_aim - state.low * du) / state.u
        dhigh = (high_aim + state.high * du) / room
        return du, dlow, dhigh, float(drift)

    mu = state.complementarity(split)
    du, dlow, dhigh, _ = direction(-state.u * state.low, -room * state.high)
    share = _longest(state, room, du, dlow, dhigh)
    ahead = (state.u + share * du) @ (state.low + share * dlow)
    ahead += (room - share * du) @ (state.high + share * dhigh)
    aim = mu * (max(float(ahead), 0.0) / (2 * len(state.u)) / mu) ** 3
    du, dlow, dhigh, drift = direction(
        aim - du * dlow - state.u * state.low, aim + du * dhigh - room * state.high
    )
    share = 0.99995 * _longest(state, room, du, dlow, dhigh)
    if not np.isfinite(share) or share < 1e-12:
        return None
    following = InteriorPoint(
        u=state.u + share * du,
        low=state.low + share * dlow,
        high=state.high + share * dhigh,
        bias=state.bias + share * drift,
    )
    inside = (following.u > 0) & (following.u < split.length)
    return following if inside.all() else None


def _longest(
    state: InteriorPoint, room: Floats, du: Floats, dlow: Floats, dhigh: Floats
) -> float:
    """Return the largest step up to 1 that keeps everything positive."""
    share = 1.0
    for value, change in (
        (state.u, du),
        (room, -du),
        (state.low, dlow),
        (state.high, dhigh),
    ):
        falling = change < 0
        if falling.any():
            share = min(share, float((-value[falling] / change[falling]).min()))
    return share
