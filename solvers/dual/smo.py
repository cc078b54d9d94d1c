"""Sequential minimal optimisation on a whole kernel matrix, for piecewise terms.

One step raises ``beta_i`` and lowers ``beta_j`` by the same amount. ``i`` has the
largest ``low_i - g_i`` with ``g = K beta``; ``j`` is the partner with

    v_ij = (low_i - g_i) - (high_j - g_j) > 0,   largest v_ij^2 / (K_ii + K_jj - 2 K_ij)

(second-order choice, Fan, Chen, Lin 2005). The step ends where the violation does, or
runs on through the breakpoints of both terms while the pair still gains.

A floating-point maximum does not vectorise, an integer one does. So candidates are
compared as float32 whose bits, read as integers, have the same order; they are taken
relative to the last maximum, where float32 resolves best. The gradient is float64.
Everything the hot loop calls is in this file, so that numba's disk cache sees edits.
"""

import numpy as np
from numba import njit

__all__ = ["pair_steps", "refresh_bounds"]

# Below this curvature a pair counts as linear; its step then ends at a breakpoint.
_FLAT = 1e-12
_FLAT32 = np.float32(1e-12)
_ZERO = np.float32(0.0)
_TWO = np.float32(2.0)
_MAGNITUDE = np.int32(0x7FFFFFFF)
_SIGN = np.int32(31)
_LEAST = np.int32(-0x7FFFFFFF)
# One rounding for a * b + c; infinities and NaN keep their meaning.
_FUSED = {"contract"}


@njit(cache=True, nogil=True)
def _key(value):  # type: ignore[no-untyped-def]
    """Return an integer in the order of the float32 ``value``, negatives included."""
    bits = np.float32(value).view(np.int32)
    return bits ^ ((bits >> _SIGN) & _MAGNITUDE)


@njit(cache=True, nogil=True)
def _value(key):  # type: ignore[no-untyped-def]
    """Return the float32 that ``_key`` came from."""
    bits = key ^ ((key >> _SIGN) & _MAGNITUDE)
    return np.float64(np.int32(bits).view(np.float32))


@njit(cache=True, nogil=True)
def _find(keys, wanted):  # type: ignore[no-untyped-def]
    """Return the first index of ``wanted``, which is among ``keys``."""
    whole = len(keys) // 32 * 32
    for start in range(0, whole, 32):
        hits = np.int32(0)
        for k in range(start, start + 32):
            hits += np.int32(keys[k] == wanted)
        if hits > 0:
            for k in range(start, start + 32):
                if keys[k] == wanted:
                    return k
    for k in range(whole, len(keys)):
        if keys[k] == wanted:
            return k
    return -1


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


@njit(cache=True, nogil=True, fastmath=_FUSED)
def _advance(g, low, high, row_i, row_j, moved, top, bottom, keys, sinks):  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays
    """Add ``moved (K_i - K_j)`` to g; return the new extremes as keys.

    ``keys`` receives ``low - g - top``, ``sinks`` receives ``bottom - (high - g)``.
    """
    best_up = _LEAST
    best_down = _LEAST
    for k in range(len(g)):
        pull = g[k] + moved * (np.float64(row_i[k]) - np.float64(row_j[k]))
        g[k] = pull
        up = _key(np.float32(low[k] - pull - top))
        keys[k] = up
        best_up = max(best_up, up)
        sink = np.float32(bottom + pull - high[k])
        sinks[k] = sink
        best_down = max(best_down, _key(sink))
    return best_up, best_down


@njit(cache=True, nogil=True, fastmath=_FUSED)
def _partner(sinks, diagonal, row_i, own, shift, keys):  # type: ignore[no-untyped-def]
    """Return the j of the largest second-order gain with i."""
    best = _LEAST
    for k in range(len(sinks)):
        gain = max(shift + sinks[k], _ZERO)
        curvature = max(own + diagonal[k] - _TWO * np.float32(row_i[k]), _FLAT32)
        key = np.float32(gain * gain / curvature).view(np.int32)
        keys[k] = key
        best = max(best, key)
    return _find(keys, best)


@njit(cache=True, nogil=True)
def pair_steps(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays
    K, diagonal, levels, breaks, beta, g, low, high, tolerance, max_steps
):
    """Run pair steps in place until the violation is at most ``tolerance``.

    Parameters
    ----------
    K : (m, m) float32 or float64, symmetric
        Its leading (n, n) part counts.
    diagonal : (n,) float32
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
    keys = np.empty(n, np.int32)
    sinks = np.empty(n, np.float32)
    # A loop: compiling array maxima would cost a third of a first fit.
    top = -np.inf
    bottom = np.inf
    for k in range(n):
        top = max(top, low[k] - g[k])
        bottom = min(bottom, high[k] - g[k])
    moved = 0.0
    i = 0
    j = 0
    steps = 0
    while True:
        before = bottom
        up, down = _advance(g, low, high, K[i], K[j], moved, top, bottom, keys, sinks)
        i = _find(keys, up)
        top = low[i] - g[i]
        bottom -= _value(down)
        violation = top - bottom
        if violation <= tolerance or steps == max_steps:
            return steps, violation
        shift = np.float32(top - before)
        j = _partner(sinks, diagonal, K[i], diagonal[i], shift, keys)
        curvature = np.float64(K[i, i]) + np.float64(K[j, j]) - 2.0 * K[i, j]
        moved = _move(levels, breaks, beta, i, j, g[i] - g[j], curvature)
        for index in (i, j):
            low[index] = _low(levels, breaks, index, beta[index])[0]
            high[index] = _high(levels, breaks, index, beta[index])[0]
        steps += 1
