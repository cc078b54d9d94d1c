"""Gradients and curvatures of the surrogate, six numbers a row.

With u = r - y h and v = -b r, and A', A'' the first term's derivatives in u, B', B''
the second's in v (times their constants):

    dL/dh = -y A'                 dL/dr = A' - B'
    d2L/dh2 = A''    d2L/dh dr = -y A''    d2L/dr2 = A'' + B''

Each row stores (-y A', A' - B', A'', -y A'', A'' + B'', weight).
"""

from math import exp, log, log1p

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["N_STATS", "measure", "summed_loss"]

N_STATS = 6

_Array = NDArray[np.float64]

_PER_LN2 = 1.0 / log(2.0)


@njit(cache=True, nogil=True)
def measure(
    rows: tuple[_Array, _Array, _Array, _Array],
    h: _Array,
    r: _Array,
    kind: tuple[float, bool],
    stats: _Array,
) -> None:
    """Write the six numbers of each row to stats, shape (n_rows, 6).

    rows is (y, errors, pulls, weight) with errors = weight c_y and pulls = weight K_y;
    kind is (b, logistic).
    """
    y, errors, pulls, weight = rows
    b, logistic = kind
    for i in range(len(y)):
        u, v = r[i] - y[i] * h[i], -b * r[i]
        if logistic:
            share_u, share_v = 1.0 / (1.0 + exp(-u)), 1.0 / (1.0 + exp(-v))
            a1, b1 = errors[i] * share_u * _PER_LN2, pulls[i] * share_v * _PER_LN2
            a2, b2 = a1 * (1.0 - share_u), b * b1 * (1.0 - share_v)
        else:
            a1, b1 = errors[i] * exp(u), pulls[i] * exp(v)
            a2, b2 = a1, b * b1
        stats[i, 0] = -y[i] * a1
        stats[i, 1] = a1 - b1
        stats[i, 2] = a2
        stats[i, 3] = -y[i] * a2
        stats[i, 4] = a2 + b2
        stats[i, 5] = weight[i]


@njit(cache=True, nogil=True)
def summed_loss(
    rows: tuple[_Array, _Array, _Array, _Array],
    h: _Array,
    r: _Array,
    kind: tuple[float, bool],
) -> float:
    """Return the sum of the rows' losses; the arguments are those of ``measure``."""
    y, errors, pulls, _ = rows
    b, logistic = kind
    total = 0.0
    for i in range(len(y)):
        u, v = r[i] - y[i] * h[i], -b * r[i]
        if logistic:
            first = (max(u, 0.0) + log1p(exp(-abs(u)))) * _PER_LN2
            second = (max(v, 0.0) + log1p(exp(-abs(v)))) * _PER_LN2
        else:
            first, second = exp(u), exp(v)
        total += errors[i] * first + pulls[i] / b * second
    return total
