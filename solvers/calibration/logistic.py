"""Log-odds that rise: a logistic regression whose slopes are never negative.

    min  sum_i w_i [ log(1 + exp(z_i)) - t_i z_i ] + smooth / 2 sum_k (b_k+1 - b_k)^2
    z_i = a + sum_k b_k A_ik,     b_k >= 0

Convex, so Newton steps find it: each goes towards the minimum of the quadratic model
under the same bounds, and is halved while it is too long.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["fit_rising", "log_evidence", "spread_of"]

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
    ridge = _ridge(basis, smooth)
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


def log_evidence(
    basis: Floats, targets: Floats, weights: Floats, found: Floats, smooth: float
) -> float:
    """Return how probable the targets are at this price, up to a constant.

    The logarithm of the mean likelihood over slopes whose differences are normal with
    variance 1 / smooth, by Laplace's approximation around ``found``: ``fit_rising`` of
    the same arguments. A slope at its bound is taken as known.
    """
    _, curved = _curvature(basis, weights, found, smooth)
    volume = float(np.linalg.slogdet(curved)[1])
    design = np.column_stack((np.ones(len(basis)), basis))
    bends = basis.shape[1] - 1
    best = -_loss(found, design, targets, weights, _ridge(basis, smooth))
    return float(best + 0.5 * (bends * np.log(smooth) - volume))


def spread_of(
    functions: Floats, basis: Floats, weights: Floats, found: Floats, smooth: float
) -> Floats:
    """Return the variances of linear functions of what was found, shape (n_functions,).

    Of the same normal distribution as in ``log_evidence``.

    Parameters
    ----------
    functions : ndarray of shape (n_functions, 1 + n_slopes)
    basis, weights, found, smooth
        As for ``log_evidence``.
    """
    free, curved = _curvature(basis, weights, found, smooth)
    functions = functions[:, free]
    return np.asarray(
        np.einsum("ij,ji->i", functions, np.linalg.solve(curved, functions.T))
    )


def _curvature(
    basis: Floats, weights: Floats, found: Floats, smooth: float
) -> tuple[NDArray[np.bool_], Floats]:
    """Return which unknowns are not at their bound, and the Hessian in these."""
    free = np.concatenate(([True], found[1:] > 0.0))
    design = np.column_stack((np.ones(len(basis)), basis))
    p = 0.5 * (1.0 + np.tanh(0.5 * (design @ found)))
    curved = (design.T * (weights * p * (1.0 - p))) @ design + _ridge(basis, smooth)
    # The floor of fit_rising, where no row tells a slope.
    curved += 1e-12 * float(weights.sum()) * np.eye(len(curved))
    return free, curved[np.ix_(free, free)]


def _ridge(basis: Floats, smooth: float) -> Floats:
    """Return the quadratic form of the price of neighbouring slopes that differ."""
    change = np.diff(np.eye(1 + basis.shape[1])[1:], axis=0)
    return smooth * change.T @ change


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
    loss = float(weights @ (np.logaddexp(0.0, z) - targets * z))
    return loss + 0.5 * float(point @ ridge @ point)
