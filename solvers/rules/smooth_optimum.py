"""The pair of thresholds that maximises a smooth objective, f_- <= f_+.

The objective is a sum of one curve per threshold, so the two-dimensional Newton
iteration is two iterations on a line. Starts: the best constrained pair of grid
points, and the highest local maxima of either curve. Where the best two cross, the
optimum lies on f_- = f_+ and the sum of the curves is maximised instead.

The iteration on a line is a safeguarded one,

    z <- z - f'(z) / f''(z)

(the sign for a maximum; with plus it walks away from it). Where the curvature is not
negative a gradient step is taken, no step is longer than ``reach``, and a step is
halved until the value rises enough. Where scores have few distinct values a curve is
flat between them: every step is halved in vain there, so curves are evaluated
``_MOST_EVALUATIONS`` times at most; a curve without flat parts needs about 15.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from solvers.rules.objectives import Objective

__all__ = ["Curve", "SmoothOptimum", "maximise", "maximise_band"]

# value, slope, curvature
Curve = Callable[[float], tuple[float, float, float]]

_MOST_ITERATIONS = 100
_MOST_EVALUATIONS = 100
_CLOSE = 1e-6


def maximise(curve: Curve, start: float, reach: float) -> tuple[float, float, int]:
    """Return a local maximum, its value, and the number of iterations."""
    z = start
    value, slope, curvature = curve(z)
    left = _MOST_EVALUATIONS
    for iteration in range(_MOST_ITERATIONS):
        if slope == 0.0:
            return z, value, iteration
        step = (
            -slope / curvature if curvature < 0.0 else (reach if slope > 0 else -reach)
        )
        step = min(max(step, -reach), reach)
        if curvature < 0.0 and abs(step) <= _CLOSE * reach:
            # Convergence is quadratic: this last step squares the error. Values no
            # longer differ by more than rounding, so it is not checked.
            return z + step, value, iteration + 1
        for _ in range(min(60, left)):
            trial = curve(z + step)
            left -= 1
            if trial[0] >= value + 1e-4 * slope * step:
                break
            step /= 2.0
        else:
            # No step raises the value: rounding is all that is left, or a flat part.
            return z, value, iteration
        z += step
        value, slope, curvature = trial
    return z, value, _MOST_ITERATIONS


Floats = NDArray[np.float64]

_STARTS = 5


@dataclass(frozen=True, slots=True)
class SmoothOptimum:
    """The best pair, its value, and how many Newton iterations were made in all."""

    lower: float
    upper: float
    value: float
    iterations: int


def maximise_band(objective: Objective) -> SmoothOptimum:
    """Return the best pair of thresholds from several starts."""
    densities = objective.densities
    grid = densities.grid
    reach = 4.0 * max(densities.positive.width, densities.negative.width)
    lower_values, upper_values = objective.on_grid()
    joint = np.maximum.accumulate(lower_values) + upper_values
    j = int(np.argmax(joint))
    i = int(np.argmax(lower_values[: j + 1]))
    lows = _refined(objective.lower, grid[_starts(lower_values, i)], reach)
    highs = _refined(objective.upper, grid[_starts(upper_values, j)], reach)

    def both(z: float) -> tuple[float, float, float]:
        a, b = objective.lower(z), objective.upper(z)
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    total = lower_values + upper_values
    middles = _refined(both, grid[_starts(total, int(np.argmax(total)))], reach)
    # No -1 at all, or no +1 at all: both curves are zero there.
    pairs = [
        SmoothOptimum(low, high, low_value + high_value, steps_low + steps_high)
        for low, low_value, steps_low in [*lows, (-inf, 0.0, 0)]
        for high, high_value, steps_high in [*highs, (inf, 0.0, 0)]
        if low <= high
    ]
    pairs += [SmoothOptimum(z, z, value, steps) for z, value, steps in middles]
    highest = max(pair.value for pair in pairs)
    # Several starts may end at one optimum: keep the shortest way there.
    best = [p for p in pairs if p.value >= highest - 1e-12 * abs(highest)]
    return min(best, key=lambda pair: (pair.iterations, pair.upper - pair.lower))


def _starts(values: Floats, best: int) -> NDArray[np.intp]:
    inner = values[1:-1]
    peaks = 1 + np.flatnonzero((inner >= values[:-2]) & (inner > values[2:]))
    highest = peaks[np.argsort(values[peaks])[::-1][:_STARTS]]
    return np.unique(np.append(highest, best))


def _refined(
    curve: Curve, starts: Floats, reach: float
) -> list[tuple[float, float, int]]:
    return [maximise(curve, float(start), reach) for start in starts]
