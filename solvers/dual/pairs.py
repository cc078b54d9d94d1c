"""Sequential minimal optimisation on a whole kernel matrix, for piecewise terms.

One step raises ``beta_i`` and lowers ``beta_j`` by the same amount. ``i`` has the
largest ``low_i - g_i`` with ``g = K beta``; ``j`` is the partner with

    v_ij = (low_i - g_i) - (high_j - g_j) > 0,   largest v_ij^2 / (K_ii + K_jj - 2 K_ij)

(second-order choice, Fan, Chen, Lin 2005). The step ends where the violation does, or
runs on through the breakpoints of both terms while the pair still gains.
Everything a hot loop calls is in this file, so that numba's disk cache sees its edits.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["pair_steps", "refresh_bounds"]

Floats = NDArray[np.float64]

# Below this curvature a pair counts as linear; its step then ends at a breakpoint.
_FLAT = 1e-12


@njit(cache=True, nogil=True)
def _low(levels, breaks, i, weight):  # type: ignore[no-untyped-def]
    for segment in range(levels.shape[1]):
        if breaks[i, segment + 1] > weight:
            return levels[i, segment], breaks[i, segment + 1]
    return -np.inf, np.inf


@njit(cache=True, nogil=True)
def _high(levels, breaks, i, weight):  # type: ignore[no-untyped-def]
    for segment in range(levels.shape[1] - 1, -1, -1):
        if breaks[i, segment] < weight:
            return levels[i, segment], breaks[i, segment]
    return np.inf, -np.inf


@njit(cache=True, nogil=True)
def refresh_bounds(levels, breaks, beta, low, high):  # type: ignore[no-untyped-def]
    """Fill ``low`` and ``high``: the knots on both sides of every weight."""
    for i in range(len(beta)):
        low[i] = _low(levels, breaks, i, beta[i])[0]
        high[i] = _high(levels, breaks, i, beta[i])[0]


@njit(cache=True, nogil=True)
def _move(levels, breaks, beta, i, j, pull, curvature):  # type: ignore[no-untyped-def]
    """Raise beta_i, lower beta_j while it pays; ``pull`` is g_i - g_j before."""
    moved = 0.0
    while True:
        low, ceiling = _low(levels, breaks, i, beta[i])
        high, floor = _high(levels, breaks, j, beta[j])
        violation = low - high - pull - moved * curvature
        if not violation > 0.0:
            return moved
        room_i = ceiling - beta[i]
        room_j = beta[j] - floor
        step = violation / max(curvature, _FLAT)
        if step < room_i and step < room_j:
            beta[i] += step
            beta[j] -= step
            return moved + step
        step = min(room_i, room_j)
        beta[i] = ceiling if room_i <= room_j else beta[i] + step
        beta[j] = floor if room_j <= room_i else beta[j] - step
        moved += step


@njit(cache=True, nogil=True)
def pair_steps(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays
    K, diagonal, levels, breaks, beta, g, low, high, tolerance, max_steps
):
    """Run pair steps in place until the violation is at most ``tolerance``.

    Parameters
    ----------
    K : (n, n) float32 or float64, symmetric
    diagonal : (n,) float64
    levels : (n, K) float64, the knot of each segment of a weight's term
    breaks : (n, K + 1) float64, the segments' ends
    beta, g, low, high : (n,) float64, updated in place
    tolerance : float
    max_steps : int

    Returns
    -------
    (steps, violation)
    """
    n = len(beta)
    for steps in range(max_steps + 1):
        i = 0
        best_up = -np.inf
        best_down = np.inf
        for k in range(n):
            up = low[k] - g[k]
            if up > best_up:
                best_up = up
                i = k
            best_down = min(best_down, high[k] - g[k])
        violation = best_up - best_down
        if violation <= tolerance or steps == max_steps:
            return steps, violation
        row_i = K[i]
        j = -1
        best = -1.0
        for k in range(n):
            gain = best_up - (high[k] - g[k])
            if gain > 0.0:
                curvature = diagonal[i] + diagonal[k] - 2.0 * row_i[k]
                score = gain * gain / max(curvature, _FLAT)
                if score > best:
                    best = score
                    j = k
        curvature = diagonal[i] + diagonal[j] - 2.0 * row_i[j]
        moved = _move(levels, breaks, beta, i, j, g[i] - g[j], curvature)
        for index in (i, j):
            low[index] = _low(levels, breaks, index, beta[index])[0]
            high[index] = _high(levels, breaks, index, beta[index])[0]
        row_j = K[j]
        for k in range(n):
            g[k] += moved * (row_i[k] - row_j[k])
    return max_steps, violation
