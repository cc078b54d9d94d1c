"""The empirical risk that prices rejections: w_r R + E.

R is the share of rejected rows and E the share of rows that are kept and wrong, both
among all rows (Chow 1970; Sousa et al., section 3).
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_posterior_threshold", "rejection_risk"]

Floats = NDArray[np.float64]

_STEP = 0.01


def best_posterior_threshold(
    posterior: Floats, wrong: NDArray[np.bool_], weights: Floats, rejection_cost: float
) -> float:
    """Return the beta that minimises ``w_r R + E`` when rejecting below it.

    Parameters
    ----------
    posterior : array of shape (n_rows,)
        The larger of the two classes' posteriors, within [0.5, 1].
    wrong : array of bool, shape (n_rows,)
        Whether the larger posterior is the wrong class's.
    weights : array of shape (n_rows,)
    rejection_cost : float

    Returns
    -------
    float
        One of 0.50, 0.51, ... 1.00; the smallest among equals.
    """
    grid = np.round(np.arange(0.5, 1.0 + _STEP / 2, _STEP), 2)
    order = np.argsort(posterior, kind="stable")
    below = np.searchsorted(posterior[order], grid, side="left")
    rejected = np.append(0.0, np.cumsum(weights[order]))[below]
    kept_wrong = np.append(0.0, np.cumsum((weights * wrong)[order]))
    missed = kept_wrong[-1] - kept_wrong[below]
    risk = rejection_cost * rejected + missed
    return float(grid[np.argmin(np.round(risk, 12))])


def rejection_risk(
    scores: Floats, signs: Floats, weights: Floats, rejection_cost: float
) -> tuple[float, float]:
    """Return the smallest ``w_r R + E`` over all bands ``|f| < t``, and its R.

    Parameters
    ----------
    scores : array of shape (n_rows,)
    signs : array of shape (n_rows,), values -1 and +1
        A score of zero counts as -1, as in ``predict``.
    weights : array of shape (n_rows,)
    rejection_cost : float
    """
    size = np.abs(scores)
    wrong = np.where(scores > 0, 1.0, -1.0) != signs
    order = np.argsort(size, kind="stable")
    total = float(weights.sum())
    rejected = np.append(0.0, np.cumsum(weights[order])) / total
    kept_wrong = np.append(0.0, np.cumsum((weights * wrong)[order])) / total
    risk = rejection_cost * rejected + kept_wrong[-1] - kept_wrong
    # A band must not separate rows of equal |f|.
    possible = np.append(True, np.append(np.diff(size[order]) > 0, True))
    best = int(np.argmin(np.where(possible, risk, np.inf)))
    return float(risk[best]), float(rejected[best])
