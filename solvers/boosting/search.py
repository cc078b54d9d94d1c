"""The steepest abstention stump, and the slopes of the stumps already chosen.

With w1 = c_y Phi'(r - y h) and w2 = K_y Phi'(-b r) the derivative of the objective
along a stump is a sum over rows: -y w1 where it answers +1, +y w1 where -1 and
w2 - w1 where it rejects. Let P(k) and Q(k) be the sums of y w1 and of w2 - w1 over
the first k codes. An ordering (A, B, C) of the answers with cuts j <= k costs

    (A - B)(j) + (B - C)(k) + C(end),     A, B, C in {-P, P, Q},

which falls apart as in Lemma 5 of Cortes et al. (2016). The running minimum of the
first part makes it O(codes) with j <= k held exactly, so that the paper's quadratic
fall-back is never needed. Ties within rounding keep the first stump in the order
features, orderings, k, j: a row's weight and its repetition choose alike.

The running minima are looked at in blocks of codes: what a block could reach at best,
from its own extremes, tells whether its codes need be gone through one by one. They
need not where another feature, or another ordering, is better than that. Extremes
are found among integers in the order of the floats, which a processor compares in
vectors. Sums and minima come out the same to the bit.
What the loops call is in this file, so that numba's disk cache sees edits.
"""

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["scan_codes", "scan_histograms"]

_Array = NDArray[np.float64]

_INF = np.inf
# Ties of the six orderings can hand on a difference of one slack each.
_SLACKS = 16.0
# Codes of one block of the running minima.
_BLOCK = 128
_GREATEST = np.int64(0x7FFFFFFFFFFFFFFF)
_LEAST = np.int64(-0x7FFFFFFFFFFFFFFF)
_SIGN = np.int64(63)


@njit(cache=True, nogil=True)
def scan_codes(
    codes: NDArray[np.int32],
    missing: int,
    orders: NDArray[np.int32],
    weights: tuple[_Array, _Array],
    features: tuple[NDArray[np.int64], NDArray[np.bool_]],
    options: tuple[bool, float],
    held: NDArray[np.int64],
) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
    """Return the best slope and its stump, and the slopes of the held stumps.

    codes has shape (n_features, n_rows); orders has, for each feature whose codes are
    all different, the rows by code, and comes first to last over such features.
    weights is (y w1, w2), features (number of codes, whether ever missing), options
    (whether stumps may reject, what counts as a tie). held has one row (feature, left,
    middle, right, missing answer, low, high) per stump; the stump found is (feature,
    ordering, low, high, missing answer).
    """
    signed, pull = weights
    counts, has_missing = features
    n_features, n_rows = codes.shape
    width = np.int64(0)
    for count in counts:
        width = max(width, count)
    S = np.empty(width)
    R = np.empty(width)
    P = np.empty(width + 1)
    Q = np.empty(width + 1)
    both = np.empty((n_rows if len(orders) else 0, 2))
    for i in range(len(both)):
        both[i, 0] = signed[i]
        both[i, 1] = pull[i] - abs(signed[i])
    best, stump = _INF, np.zeros(5, dtype=np.int64)
    slopes = np.zeros(len(held))
    ordered = 0
    for feature in range(n_features):
        n_codes = counts[feature]
        lost = (0.0, 0.0, has_missing[feature])
        if len(orders) and n_codes == n_rows:
            _accumulate_rows(both, orders[ordered], P, Q)
            ordered += 1
        else:
            S[:n_codes] = 0.0
            R[:n_codes] = 0.0
            lost_s, lost_r = _sum_by_code(codes[feature], missing, weights, lost, S, R)
            lost = (lost_s, lost_r, has_missing[feature])
            _accumulate(S, R, n_codes, P, Q)
        value = _best(P, Q, n_codes, lost, options, best, stump)
        if value < best - options[1]:
            best, stump[0] = value, feature
        _slopes(P, Q, n_codes, lost, feature, held, slopes)
    return best, stump, slopes


@njit(cache=True, nogil=True)
def scan_histograms(
    S: NDArray[np.float64],
    R: NDArray[np.float64],
    features: tuple[NDArray[np.int64], NDArray[np.bool_]],
    options: tuple[bool, float],
    held: NDArray[np.int64],
) -> tuple[float, NDArray[np.int64], NDArray[np.float64]]:
    """Return what ``scan_codes`` does, from sums by byte code (n_features, 256)."""
    counts, has_missing = features
    n_features = len(S)
    P = np.empty(257)
    Q = np.empty(257)
    best, stump = _INF, np.zeros(5, dtype=np.int64)
    slopes = np.zeros(len(held))
    for feature in range(n_features):
        n_codes = counts[feature]
        missing_s, missing_r = S[feature, 255], R[feature, 255]
        _accumulate(S[feature], R[feature], n_codes, P, Q)
        lost = (missing_s, missing_r, has_missing[feature])
        value = _best(P, Q, n_codes, lost, options, best, stump)
        if value < best - options[1]:
            best, stump[0] = value, feature
        _slopes(P, Q, n_codes, lost, feature, held, slopes)
    return best, stump, slopes


@njit(cache=True, nogil=True)
def _best(
    P: NDArray[np.float64],
    Q: NDArray[np.float64],
    n_codes: int,
    lost: tuple[float, float, bool],
    options: tuple[bool, float],
    to_beat: float,
    stump: NDArray[np.int64],
) -> float:
    """Return the feature's best slope; write its stump if it beats the best so far.

    lost has the two sums over the missing rows and whether there are any. The stump's
    own feature (its first entry) is left to the caller.
    """
    rejects, slack = options
    end_p, end_q = P[n_codes], Q[n_codes]
    answer, added = 0, 0.0
    if lost[2]:
        answer, added = _best_missing(lost[0], lost[1], rejects, slack)
    best = np.full(6, _INF)
    if rejects:
        ends = np.array([-end_p, end_p, end_q, end_q, -end_p, end_p])
        limit = to_beat - added + _SLACKS * slack
        _least(P[: n_codes + 1], Q[: n_codes + 1], ends, limit, _SLACKS * slack, best)
        best += ends
    else:
        for k in range(n_codes + 1):
            best[2] = min(best[2], 2.0 * P[k] - end_p)
            best[3] = min(best[3], end_p - 2.0 * P[k])
    ordering = 0
    for o in range(1, 6):
        if best[o] < best[ordering] - slack:
            ordering = o
    if best[ordering] + added < to_beat - slack:
        stump[1], stump[4] = ordering, answer
        _locate(P, Q, n_codes, options, best[ordering], stump)
    return float(best[ordering] + added)


@njit(cache=True, nogil=True)
def _best_missing(
    missing_s: float, missing_r: float, rejects: bool, slack: float
) -> tuple[int, float]:
    answer, added = 0, missing_r
    if not rejects or missing_s < added - slack:
        answer, added = -1, missing_s
    if -missing_s < added - slack:
        answer, added = 1, -missing_s
    return answer, added


@njit(cache=True, nogil=True)
def _locate(
    P: NDArray[np.float64],
    Q: NDArray[np.float64],
    n_codes: int,
    options: tuple[bool, float],
    value: float,
    stump: NDArray[np.int64],
) -> None:
    """Find the first cuts that reach value, up to slack, for the ordering in stump."""
    rejects, slack = options
    ap, bp, cp, aq, bq, cq = _weights_of(stump[1])
    end = cp * P[n_codes] + cq * Q[n_codes]
    lowest, low = _INF, 0
    stump[2], stump[3] = 0, n_codes
    for k in range(n_codes + 1):
        first = (ap - bp) * P[k] + (aq - bq) * Q[k]
        if first < lowest - slack:
            lowest, low = first, k
        at = k if rejects else n_codes
        second = (bp - cp) * P[at] + (bq - cq) * Q[at] + end
        if lowest + second <= value + 2.0 * slack:
            stump[2], stump[3] = low, at
            return


@njit(cache=True, nogil=True)
def _slopes(
    P: NDArray[np.float64],
    Q: NDArray[np.float64],
    n_codes: int,
    lost: tuple[float, float, bool],
    feature: int,
    held: NDArray[np.int64],
    slopes: NDArray[np.float64],
) -> None:
    for a in range(len(held)):
        if held[a, 0] != feature:
            continue
        low, high = held[a, 5], held[a, 6]
        total = 0.0
        for cell in range(4):
            if cell == 0:
                s, r = P[low], Q[low]
            elif cell == 1:
                s, r = P[high] - P[low], Q[high] - Q[low]
            elif cell == 2:
                s, r = P[n_codes] - P[high], Q[n_codes] - Q[high]
            else:
                s, r = lost[0], lost[1]
            answer = held[a, 1 + cell]
            total += r if answer == 0 else -answer * s
        slopes[a] = total


@njit(cache=True, nogil=True)
def _key_of(value: float) -> Any:
    """Return an integer in the order of the floats."""
    bits = np.float64(value).view(np.int64)
    return bits ^ ((bits >> _SIGN) & _GREATEST)


@njit(cache=True, nogil=True)
def _value_of(key: Any) -> Any:
    """Return the float that ``_key_of`` came from."""
    bits = key ^ ((key >> _SIGN) & _GREATEST)
    return np.int64(bits).view(np.float64)


@njit(cache=True, nogil=True)
def _least(
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
    ap, bp, cp, aq, bq, cq = _weights_of(ordering)
    for k in range(len(P)):
        lowest = min(lowest, (ap - bp) * P[k] + (aq - bq) * Q[k])
        best = min(best, lowest + ((bp - cp) * P[k] + (bq - cq) * Q[k]))
    return best


@njit(cache=True, nogil=True)
def _extremes(P: _Array, Q: _Array) -> tuple[float, float, float, float, float, float]:
    """Return the least and the largest of P - Q, of P + Q and of 2 P."""
    low_u = low_v = low_t = _GREATEST
    top_u = top_v = top_t = _LEAST
    for k in range(len(P)):
        u, v, t = _key_of(P[k] - Q[k]), _key_of(P[k] + Q[k]), _key_of(2.0 * P[k])
        low_u, top_u = min(low_u, u), max(top_u, u)
        low_v, top_v = min(low_v, v), max(top_v, v)
        low_t, top_t = min(low_t, t), max(top_t, t)
    u_ends = _value_of(low_u), _value_of(top_u)
    v_ends = _value_of(low_v), _value_of(top_v)
    return *u_ends, *v_ends, _value_of(low_t), _value_of(top_t)


@njit(cache=True, nogil=True)
def _weights_of(ordering: int) -> tuple[float, float, float, float, float, float]:
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


@njit(cache=True, nogil=True)
def _accumulate_rows(
    both: NDArray[np.float64], order: NDArray[np.int32], P: _Array, Q: _Array
) -> None:
    """Write the running sums of rows that each have a code of their own."""
    P[0] = p = 0.0
    Q[0] = q = 0.0
    for k in range(len(order)):
        p += both[order[k], 0]
        q += both[order[k], 1]
        P[k + 1] = p
        Q[k + 1] = q


@njit(cache=True, nogil=True)
def _sum_by_code(
    code: NDArray[np.int32],
    missing: int,
    weights: tuple[_Array, _Array],
    lost: tuple[float, float, bool],
    S: _Array,
    R: _Array,
) -> tuple[float, float]:
    """Add the rows to S and R by code; return both sums over the missing ones."""
    signed, pull = weights
    missing_s, missing_r = lost[0], lost[1]
    if lost[2]:
        for i in range(len(code)):
            value = signed[i]
            other = pull[i] - abs(value)
            if code[i] == missing:
                missing_s += value
                missing_r += other
            else:
                S[code[i]] += value
                R[code[i]] += other
    else:
        for i in range(len(code)):
            value = signed[i]
            S[code[i]] += value
            R[code[i]] += pull[i] - abs(value)
    return missing_s, missing_r


@njit(cache=True, nogil=True)
def _accumulate(
    S: NDArray[np.float64],
    R: NDArray[np.float64],
    n_codes: int,
    P: NDArray[np.float64],
    Q: NDArray[np.float64],
) -> None:
    """Write the running sums of S and R over the first codes."""
    P[0] = 0.0
    Q[0] = 0.0
    for k in range(n_codes):
        P[k + 1] = P[k] + S[k]
        Q[k + 1] = Q[k] + R[k]
