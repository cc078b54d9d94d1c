"""Log-odds that rise: a logistic regression whose slopes are never negative.

    min  sum_i w_i [ log(1 + exp(z_i)) - t_i z_i ] + smooth / 2 sum_k (b_k+1 - b_k)^2
    z_i = a + sum_k b_k A_ik,     b_k >= 0

Convex, so Newton steps find it: each goes towards the minimum of the quadratic model
under the same bounds, and is halved while it is too long.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_rising"]

Floats = NDArray[np.float64]


def fit_rising(
    basis: Floats, targets: Floats, weights: Floats, smooth: float = 0.0
) -> Floats:
    """Return the intercept and the slopes, shape (1 + n_slopes,).

    Parameters
    ----------
    basis : ndarray of shape (n_rows, n_slopes)
        Each column rises with the score and is of order one.
    targets : ndarray of shape (n_rows,)
        Strictly within (0, 1).
    weights : ndarray of shape (n_rows,)
    smooth : float, default=0.0
        Price of neighbouring slopes that differ.
    """
    design = np.column_stack((np.ones(len(basis)), basis))
    change = np.diff(np.eye(design.shape[1])[1:], axis=0)
    ridge = smooth * change.T @ change
    total = float(weights.sum())
    # Where no row tells a slope, this keeps it still; no digit that counts moves.
    ground = 1e-12 * total * np.eye(len(ridge))
    share = float(np.average(targets, weights=weights))
    point = np.zeros(len(ridge))
    point[0] = np.log(share / (1.0 - share))
    value = _loss(point, design, targets, weights, ridge)
    for _ in range(100):
        p = 0.5 * (1.0 + np.tanh(0.5 * (design @ point)))
        gradient = design.T @ (weights * (p - targets)) + ridge @ point
        curved = (design.T * (weights * p * (1.0 - p))) @ design + ridge + ground
        step = _best_of_model(point, gradient, curved) - point
        fall = -float(gradient @ step)
        if fall <= 1e-14 * total:
            break
        length = 1.0
        while length > 1e-10:
            trial = point + length * step
            reached = _loss(trial, design, targets, weights, ridge)
            if reached <= value - 1e-4 * length * fall:
                break
            length /= 2.0
        else:
            break
        point, value = trial, reached
    return point


def _best_of_model(point: Floats, gradient: Floats, curved: Floats) -> Floats:
    """Return where the quadratic model is least, slopes at least 0."""
    # Fitting happens in the worker; a process that only decides loads no scipy.
    from scipy.optimize import nnls  # noqa: PLC0415

    root = np.linalg.cholesky(curved).T
    wanted = root @ point - np.linalg.solve(root.T, gradient)
    # The intercept has no bound: it is the difference of two numbers that have one.
    found, _ = nnls(np.column_stack((root, -root[:, :1])), wanted)
    return np.concatenate(([found[0] - found[-1]], found[1:-1]))


def _loss(
    point: Floats, design: Floats, targets: Floats, weights: Floats, ridge: Floats
) -> float:
    z = design @ point
    told = float(weights @ (np.logaddexp(0.0, z) - targets * z))
    return told + 0.5 * float(point @ ridge @ point)
