"""A safeguarded Newton iteration for a maximum on a line.

    z <- z - f'(z) / f''(z)

(the sign for a maximum; with plus it walks away from it). Where the curvature is not
negative a gradient step is taken, no step is longer than ``reach``, and a step is
halved until the value rises enough.
"""

from collections.abc import Callable

__all__ = ["Curve", "maximise"]

# value, slope, curvature
Curve = Callable[[float], tuple[float, float, float]]

_MOST_ITERATIONS = 100
_CLOSE = 1e-6


def maximise(curve: Curve, start: float, reach: float) -> tuple[float, float, int]:
    """Return a local maximum, its value, and the number of iterations."""
    z = start
    value, slope, curvature = curve(z)
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
        for _ in range(60):
            trial = curve(z + step)
            if trial[0] >= value + 1e-4 * slope * step:
                break
            step /= 2.0
        else:
            # No step raises the value: rounding is all that is left.
            return z, value, iteration
        z += step
        value, slope, curvature = trial
    return z, value, _MOST_ITERATIONS
