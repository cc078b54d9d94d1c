"""Two sums a bin for every feature at once, in packed fixed point.

A row's pair (signed, pull - |signed|), scaled to 17 bits and more, shares one 64-bit
integer: the first in the upper half, the second in the lower. Adding both then costs
one addition. A chunk has as many rows as keep each half below 2^30, after which the
halves are parted and added up as float64 (exact: they are integers). Four partial
histograms keep equal bins in a row from waiting for one another.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["CHUNK_ROWS", "packed_histogram"]

CHUNK_ROWS = 8192
_HALF = 1 << 30


@njit(cache=True, nogil=True)
def packed_histogram(
    codes: NDArray[np.uint8],
    signed: NDArray[np.float64],
    pull: NDArray[np.float64],
    largest: float,
    S: NDArray[np.float64],
    R: NDArray[np.float64],
) -> None:
    """Sum signed into S and pull - |signed| into R by code.

    codes has shape (n_features, n_rows); S and R (n_features, 256) are overwritten.
    largest bounds every |signed| and pull; a sum's error is at most the number of its
    rows times largest / 2^17.
    """
    n_features, n_rows = codes.shape
    S[:] = 0.0
    R[:] = 0.0
    scale = _HALF / CHUNK_ROWS / largest
    unit = 1.0 / scale
    packed = np.empty(CHUNK_ROWS, dtype=np.int64)
    partial = np.empty((4, 256), dtype=np.int64)
    first, second, third, fourth = partial[0], partial[1], partial[2], partial[3]
    for start in range(0, n_rows, CHUNK_ROWS):
        stop = min(n_rows, start + CHUNK_ROWS)
        n_chunk = stop - start
        signed_chunk = signed[start:stop]
        pull_chunk = pull[start:stop]
        for i in range(n_chunk):
            value = signed_chunk[i]
            other = pull_chunk[i] - abs(value)
            upper = np.int64(np.rint(value * scale))
            packed[i] = (upper << 32) + np.int64(np.rint(other * scale))
        n_quads = n_chunk >> 2
        for feature in range(n_features):
            partial[:] = 0
            code = codes[feature, start:stop]
            for quad in range(n_quads):
                i = 4 * quad
                first[code[i]] += packed[i]
                second[code[i + 1]] += packed[i + 1]
                third[code[i + 2]] += packed[i + 2]
                fourth[code[i + 3]] += packed[i + 3]
            for i in range(4 * n_quads, n_chunk):
                first[code[i]] += packed[i]
            to_s, to_r = S[feature], R[feature]
            for k in range(256):
                both = first[k] + second[k] + third[k] + fourth[k]
                lower = np.int64(np.int32(both))
                to_s[k] += unit * np.float64((both - lower) >> 32)
                to_r[k] += unit * np.float64(lower)
