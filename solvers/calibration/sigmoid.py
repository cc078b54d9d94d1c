"""A logistic curve through (score, smoothed target): Platt's method.

    min_(a, b)  sum_i w_i [ log(1 + exp(z_i)) - t_i z_i ],     z_i = a f_i + b

by Newton steps with backtracking (convex, so the full step is wrong only far out).
Sources: Platt (1999); the numerically safe form of Lin, Lin and Weng (2007).
"""

import numpy as np
from numpy.typing import NDArray

from solvers.calibration.targets import smoothed_targets

__all__ = ["fit_sigmoid"]

Floats = NDArray[np.float64]


def fit_sigmoid(
    scores: Floats, positive: NDArray[np.bool_], weights: Floats
) -> tuple[float, float]:
    """Return the slope (never negative) and the intercept of the log-odds.

    A falling curve would contradict every rule on the score; where it fits best, the
    slope is 0 and the intercept the smoothed share of +1.
    """
    targets = smoothed_targets(positive, weights)
    largest = float(np.max(np.abs(scores))) or 1.0
    scores = scores / largest
    center, scale = float(np.mean(scores)), float(np.std(scores))
    share = float(np.average(targets, weights=weights))
    flat = (0.0, float(np.log(share / (1.0 - share))))
    if not scale > 0.0:
        return flat
    f = (scores - center) / scale
    slope, intercept = _newton(f, targets, weights, np.asarray(flat))
    slope, intercept = slope / scale, intercept - slope * center / scale
    slope /= largest
    if slope > 0.0 and np.isfinite(slope) and np.isfinite(intercept):
        return slope, intercept
    return flat


def _newton(
    f: Floats, targets: Floats, weights: Floats, start: Floats
) -> tuple[float, float]:
    point, value = start, _loss(start, f, targets, weights)
    for _ in range(100):
        z = point[0] * f + point[1]
        p = 0.5 * (1.0 + np.tanh(0.5 * z))
        residual = weights * (p - targets)
        gradient = np.array([residual @ f, residual.sum()])
        if np.max(np.abs(gradient)) <= 1e-10 * weights.sum():
            break
        curvature = weights * p * (1.0 - p)
        mixed = curvature @ f
        hessian = np.array([[curvature @ (f * f), mixed], [mixed, curvature.sum()]])
        hessian[0, 0] += 1e-12
        hessian[1, 1] += 1e-12
        step = np.linalg.solve(hessian, gradient)
        length = 1.0
        # Armijo: a full Newton step may overshoot where the curve is nearly flat.
        while length > 1e-10:
            trial = point - length * step
            trial_value = _loss(trial, f, targets, weights)
            if trial_value <= value - 1e-4 * length * float(gradient @ step):
                break
            length /= 2.0
        else:
            break
        point, value = trial, trial_value
    return float(point[0]), float(point[1])


def _loss(point: Floats, f: Floats, targets: Floats, weights: Floats) -> float:
    z = point[0] * f + point[1]
    return float(weights @ (np.logaddexp(0.0, z) - targets * z))
