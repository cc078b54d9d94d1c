"""Passes over the rows for any surrogate: margins are kept, weights recomputed.

``errors`` and ``pulls`` hold each row's c_y and K_y / b times its sample weight, so
that a row's two terms are A = errors Phi(r - y h) and B = pulls Phi(-b r). They are
added, or joined by a norm that is smooth where max(A, B) has kinks,

    (A^p + B^p)^(1/p),    p = 16:    at most 4.5 % above the larger term.

Descent along single stumps would halt at the kinks: in the first round every row
reaches A = B, from where h and r would have to move at once. ``rows`` is
(y, errors, pulls, h, r) and ``kind`` (b, logistic, joined).
"""

from math import exp, log, log1p

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["POWER", "loss_along", "slopes_along", "weigh"]

POWER = 16.0

_Array = NDArray[np.float64]
_Rows = tuple[_Array, _Array, _Array, _Array, _Array]

_TINY = 1e-280
_PER_LN2 = 1.0 / log(2.0)


@njit(cache=True, nogil=True)
def _link(u: float, logistic: bool) -> float:
    if not logistic:
        return exp(u)
    return (max(u, 0.0) + log1p(exp(-abs(u)))) * _PER_LN2


@njit(cache=True, nogil=True)
def _derivatives(u: float, logistic: bool) -> tuple[float, float]:
    """Return Phi'(u) and Phi''(u)."""
    if not logistic:
        grown = exp(u)
        return grown, grown
    small = exp(-abs(u))
    share = 1.0 / (1.0 + small)
    rising = share if u >= 0.0 else small * share
    return rising * _PER_LN2, small * share * share * _PER_LN2


@njit(cache=True, nogil=True)
def _join(first: float, second: float) -> tuple[float, float, float]:
    """Return the norm of two terms and its derivatives in each."""
    first, second = max(first, _TINY), max(second, _TINY)
    larger = max(first, second)
    norm = larger * (1.0 + (min(first, second) / larger) ** POWER) ** (1.0 / POWER)
    by_first = (first / norm) ** (POWER - 1.0)
    return norm, by_first, (second / norm) ** (POWER - 1.0)


@njit(cache=True, nogil=True)
def weigh(
    rows: _Rows, kind: tuple[float, bool, bool], signed: _Array, pull: _Array
) -> tuple[tuple[float, float], tuple[float, float], float]:
    """Write y w1 and w2 of each row.

    Returns the losses (descended, reported), the sums of w1 and w2, the largest weight.
    """
    y, errors, pulls, h, r = rows
    b, logistic, joined = kind
    loss = reported = signed_sum = pull_sum = largest = 0.0
    for i in range(len(y)):
        u, v = r[i] - y[i] * h[i], -b * r[i]
        first = errors[i] * _link(u, logistic)
        second = pulls[i] * _link(v, logistic)
        w1 = errors[i] * _derivatives(u, logistic)[0]
        w2 = pulls[i] * b * _derivatives(v, logistic)[0]
        if joined:
            norm, by_first, by_second = _join(first, second)
            loss += norm
            reported += max(first, second)
            w1, w2 = by_first * w1, by_second * w2
        else:
            loss += first + second
        signed[i], pull[i] = y[i] * w1, w2
        signed_sum += w1
        pull_sum += w2
        largest = max(largest, w1, w2)
    if not joined:
        reported = loss
    return (loss, reported), (signed_sum, pull_sum), largest


@njit(cache=True, nogil=True)
def slopes_along(
    eta: float,
    cells: NDArray[np.uint8],
    answers: _Array,
    accepts: _Array,
    rows: _Rows,
    kind: tuple[float, bool, bool],
) -> tuple[float, float]:
    """Return the first two derivatives of the summed loss at step eta.

    answers and accepts give what each cell adds to h and to r.
    """
    y, errors, pulls, h, r = rows
    b, logistic, joined = kind
    first = second = 0.0
    for i in range(len(y)):
        move_h, move_r = answers[cells[i]], accepts[cells[i]]
        at_r = r[i] + eta * move_r
        u, v = at_r - y[i] * (h[i] + eta * move_h), -b * at_r
        move_u, move_v = move_r - y[i] * move_h, -b * move_r
        slope, bend = _derivatives(u, logistic)
        slope_u, bend_u = errors[i] * slope * move_u, errors[i] * bend * move_u**2
        slope, bend = _derivatives(v, logistic)
        slope_v, bend_v = pulls[i] * slope * move_v, pulls[i] * bend * move_v**2
        if joined:
            term_u = max(errors[i] * _link(u, logistic), _TINY)
            term_v = max(pulls[i] * _link(v, logistic), _TINY)
            norm, by_u, by_v = _join(term_u, term_v)
            slope = by_u * slope_u + by_v * slope_v
            spread = by_u * slope_u**2 / term_u + by_v * slope_v**2 / term_v
            spread -= slope * slope / norm
            first += slope
            second += by_u * bend_u + by_v * bend_v + (POWER - 1.0) * spread
        else:
            first += slope_u + slope_v
            second += bend_u + bend_v
    return first, second


@njit(cache=True, nogil=True)
def loss_along(
    eta: float,
    cells: NDArray[np.uint8],
    answers: _Array,
    accepts: _Array,
    rows: _Rows,
    kind: tuple[float, bool, bool],
) -> float:
    """Return the summed loss at step eta."""
    y, errors, pulls, h, r = rows
    b, logistic, joined = kind
    loss = 0.0
    for i in range(len(y)):
        at_r = r[i] + eta * accepts[cells[i]]
        u = at_r - y[i] * (h[i] + eta * answers[cells[i]])
        first = errors[i] * _link(u, logistic)
        second = pulls[i] * _link(-b * at_r, logistic)
        loss += _join(first, second)[0] if joined else first + second
    return loss
