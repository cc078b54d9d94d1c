"""The least value of each ordering of a stump's answers, from running sums.

The blocks of ``search`` are looked at here. Whoever edits these loops has to empty
numba's disk cache of ``search``, which has them compiled in.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.boosting.order import GREATEST, LEAST, key_of, value_of

__all__ = ["least", "weights_of"]

_Array = NDArray[np.float64]

_INF = np.inf
_BLOCK = 128


@njit(cache=True, nogil=True)
def least(
    P: _Array, Q: _Array, ends: _Array, limit: float, margin: float, best: _Array
) -> None:
    """Write the least (A - B)(j) + (B - C)(k), j <= k, of each ordering.

    Only where it can matter: an ordering that, with its end, stays above limit, or by
    more than margin above another, may be left with a larger value that it takes, or
    infinity. The block that promises most is gone through first, so that few follow.
    """
    n_blocks = -(-len(P) // _BLOCK)
    before = np.empty((n_blocks, 6))
    bounds = np.empty((n_blocks, 6))
    first_block, first_ordering = _bound(P, Q, ends, before, bounds)
    for turn in range(-1, n_blocks):
        block = first_block if turn < 0 else turn
        start = block * _BLOCK
        p, q = P[start : start + _BLOCK], Q[start : start + _BLOCK]
        for o in range(6):
            is_first = block == first_block and o == first_ordering
            if is_first != (turn < 0):
                continue
            bound = bounds[block, o]
            if bound < best[o] and bound + ends[o] <= limit:
                best[o] = _least_within(p, q, o, before[block, o], best[o])
                limit = min(limit, best[o] + ends[o] + margin)


@njit(cache=True, nogil=True)
def _bound(
    P: _Array, Q: _Array, ends: _Array, before: _Array, bounds: _Array
) -> tuple[int, int]:
    """Bound each block's values below; return the block and ordering of the least.

    before receives the least (A - B)(j) of the blocks before, of each ordering.
    """
    lowest = np.full(6, _INF)
    promised, first_block, first_ordering = _INF, 0, 0
    for block in range(len(bounds)):
        start = block * _BLOCK
        p, q = P[start : start + _BLOCK], Q[start : start + _BLOCK]
        low_u, top_u, low_v, top_v, low_t, top_t = _extremes(p, q)
        firsts = (low_u, -top_v, low_t, -top_t, -top_u, low_v)
        seconds = (low_v, -top_u, -top_v, low_u, low_t, -top_t)
        for o in range(6):
            before[block, o] = lowest[o]
            lowest[o] = min(lowest[o], firsts[o])
            bounds[block, o] = lowest[o] + seconds[o]
            if bounds[block, o] + ends[o] < promised:
                promised = bounds[block, o] + ends[o]
                first_block, first_ordering = block, o
    return first_block, first_ordering


@njit(cache=True, nogil=True)
def _least_within(
    P: _Array, Q: _Array, ordering: int, lowest: float, best: float
) -> float:
    ap, bp, cp, aq, bq, cq = weights_of(ordering)
    for k in range(len(P)):
        lowest = min(lowest, (ap - bp) * P[k] + (aq - bq) * Q[k])
        best = min(best, lowest + ((bp - cp) * P[k] + (bq - cq) * Q[k]))
    return best


@njit(cache=True, nogil=True)
def _extremes(P: _Array, Q: _Array) -> tuple[float, float, float, float, float, float]:
    """Return the least and the largest of P - Q, of P + Q and of 2 P."""
    low_u = low_v = low_t = GREATEST
    top_u = top_v = top_t = LEAST
    for k in range(len(P)):
        u, v, t = key_of(P[k] - Q[k]), key_of(P[k] + Q[k]), key_of(2.0 * P[k])
        low_u, top_u = min(low_u, u), max(top_u, u)
        low_v, top_v = min(low_v, v), max(top_v, v)
        low_t, top_t = min(low_t, t), max(top_t, t)
    u_ends = value_of(low_u), value_of(top_u)
    v_ends = value_of(low_v), value_of(top_v)
    return *u_ends, *v_ends, value_of(low_t), value_of(top_t)


@njit(cache=True, nogil=True)
def weights_of(ordering: int) -> tuple[float, float, float, float, float, float]:
    """Return (A, B, C) as multiples of P and of Q, for one of the six orderings."""
    if ordering == 0:
        return 1.0, 0.0, -1.0, 0.0, 1.0, 0.0
    if ordering == 1:
        return -1.0, 0.0, 1.0, 0.0, 1.0, 0.0
    if ordering == 2:
        return 1.0, -1.0, 0.0, 0.0, 0.0, 1.0
    if ordering == 3:
        return -1.0, 1.0, 0.0, 0.0, 0.0, 1.0
    if ordering == 4:
        return 0.0, 1.0, -1.0, 1.0, 0.0, 0.0
    return 0.0, -1.0, 1.0, 1.0, 0.0, 0.0
