"""Passes over the rows for any surrogate: margins are kept, weights recomputed.

``errors`` and ``pulls`` hold each row's c_y and K_y / b times its sample weight, so
that a row's loss is errors Phi(r - y h) and pulls Phi(-b r), added or the larger one.
``rows`` is (y, errors, pulls, h, r) and ``kind`` (b, logistic, whether the larger term
counts alone).
"""

from math import exp, log, log1p

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["loss_along", "slopes_along", "weigh"]

_Array = NDArray[np.float64]

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
def weigh(
    rows: tuple[_Array, _Array, _Array, _Array, _Array],
    kind: tuple[float, bool, bool],
    signed: NDArray[np.float64],
    pull: NDArray[np.float64],
) -> tuple[float, float, float, float]:
    """Write y w1 and w2 of each row; return the loss, both sums, the largest weight."""
    y, errors, pulls, h, r = rows
    b, logistic, larger = kind
    loss = signed_sum = pull_sum = largest = 0.0
    for i in range(len(y)):
        u, v = r[i] - y[i] * h[i], -b * r[i]
        first = errors[i] * _link(u, logistic)
        second = pulls[i] * _link(v, logistic)
        w1 = errors[i] * _derivatives(u, logistic)[0]
        w2 = pulls[i] * b * _derivatives(v, logistic)[0]
        if larger:
            loss += max(first, second)
            if first >= second:
                w2 = 0.0
            else:
                w1 = 0.0
        else:
            loss += first + second
        signed[i], pull[i] = y[i] * w1, w2
        signed_sum += w1
        pull_sum += w2
        largest = max(largest, w1, w2)
    return loss, signed_sum, pull_sum, largest


@njit(cache=True, nogil=True)
def slopes_along(
    eta: float,
    cells: NDArray[np.uint8],
    answers: NDArray[np.float64],
    accepts: NDArray[np.float64],
    rows: tuple[_Array, _Array, _Array, _Array, _Array],
    kind: tuple[float, bool, bool],
) -> tuple[float, float]:
    """Return the first two derivatives of the summed loss at step eta.

    answers and accepts give what each cell adds to h and to r. Where the larger of
    two terms is taken, that term's derivatives count: a subgradient.
    """
    y, errors, pulls, h, r = rows
    b, logistic, larger = kind
    first = second = 0.0
    for i in range(len(y)):
        move_h, move_r = answers[cells[i]], accepts[cells[i]]
        at_r = r[i] + eta * move_r
        u = at_r - y[i] * (h[i] + eta * move_h)
        v = -b * at_r
        move_u, move_v = move_r - y[i] * move_h, -b * move_r
        use_u = use_v = True
        if larger:
            use_u = errors[i] * _link(u, logistic) >= pulls[i] * _link(v, logistic)
            use_v = not use_u
        if use_u:
            slope, bend = _derivatives(u, logistic)
            first += errors[i] * slope * move_u
            second += errors[i] * bend * move_u * move_u
        if use_v and move_v != 0.0:
            slope, bend = _derivatives(v, logistic)
            first += pulls[i] * slope * move_v
            second += pulls[i] * bend * move_v * move_v
    return first, second


@njit(cache=True, nogil=True)
def loss_along(
    eta: float,
    cells: NDArray[np.uint8],
    answers: NDArray[np.float64],
    accepts: NDArray[np.float64],
    rows: tuple[_Array, _Array, _Array, _Array, _Array],
    kind: tuple[float, bool, bool],
) -> float:
    """Return the summed loss at step eta."""
    y, errors, pulls, h, r = rows
    b, logistic, larger = kind
    loss = 0.0
    for i in range(len(y)):
        at_r = r[i] + eta * accepts[cells[i]]
        u = at_r - y[i] * (h[i] + eta * answers[cells[i]])
        first = errors[i] * _link(u, logistic)
        second = pulls[i] * _link(-b * at_r, logistic)
        loss += max(first, second) if larger else first + second
    return loss
