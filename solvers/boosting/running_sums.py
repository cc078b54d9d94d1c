"""Sums of the rows' two weights up to each code of a feature.

Whoever edits these loops has to empty numba's disk cache of ``search``, which has them
compiled in.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["accumulate", "accumulate_rows", "sum_by_code"]

_Array = NDArray[np.float64]


@njit(cache=True, nogil=True)
def accumulate_rows(
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
def sum_by_code(
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
def accumulate(
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
