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
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.boosting.least_cuts import least, weights_of
from solvers.boosting.running_sums import accumulate, accumulate_rows, sum_by_code

__all__ = ["scan_codes", "scan_histograms"]

_Array = NDArray[np.float64]

_INF = np.inf
# Ties of the six orderings can hand on a difference of one slack each.
_SLACKS = 16.0


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
            accumulate_rows(both, orders[ordered], P, Q)
            ordered += 1
        else:
            S[:n_codes] = 0.0
            R[:n_codes] = 0.0
            lost_s, lost_r = sum_by_code(codes[feature], missing, weights, lost, S, R)
            lost = (lost_s, lost_r, has_missing[feature])
            accumulate(S, R, n_codes, P, Q)
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
        accumulate(S[feature], R[feature], n_codes, P, Q)
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
        least(P[: n_codes + 1], Q[: n_codes + 1], ends, limit, _SLACKS * slack, best)
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
    ap, bp, cp, aq, bq, cq = weights_of(stump[1])
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
