"""Two sums a bin for every feature at once, in packed fixed point.

A row's pair (signed, pull - |signed|), scaled to 17 bits and more, shares one 64-bit
integer: the first in the upper half, the second in the lower. Adding both then costs
one addition. A chunk has as many rows as keep each half below 2^30, after which the
halves are parted and added up as float64 (exact: they are integers). Four partial
histograms keep equal bins in a row from waiting for one another. Codes are read eight
at a time, of two features side by side: then memory is read half as often as written.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["CHUNK_ROWS", "packed_histogram", "words_of"]

CHUNK_ROWS = 8192
_HALF = 1 << 30


def words_of(codes: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return byte codes (n_features, n_rows) eight a word, the last one filled up.

    Codes that were written with room for whole words are these words, without a copy.
    """
    n_features, n_rows = codes.shape
    room = codes if codes.base is None else codes.base
    whole = room.shape == (n_features, -(-n_rows // 8) * 8) and room.flags.c_contiguous
    if whole and room.ctypes.data == codes.ctypes.data:
        return room.view(np.uint64)
    words = np.zeros((n_features, -(-n_rows // 8)), dtype=np.uint64)
    words.view(np.uint8)[:, :n_rows] = codes
    return words


@njit(cache=True, nogil=True)
def _add_two(
    left: NDArray[np.uint64],
    right: NDArray[np.uint64],
    packed: NDArray[np.int64],
    to_left: NDArray[np.int64],
    to_right: NDArray[np.int64],
) -> None:
    byte = np.uint64(255)
    for w in range(len(left)):
        ours, theirs = left[w], right[w]
        for e in range(8):
            value = packed[8 * w + e]
            shift, part = np.uint64(8 * e), np.uint64(256 * (e & 3))
            to_left[part + ((ours >> shift) & byte)] += value
            to_right[part + ((theirs >> shift) & byte)] += value


@njit(cache=True, nogil=True)
def _add_one(
    codes: NDArray[np.uint64], packed: NDArray[np.int64], to: NDArray[np.int64]
) -> None:
    byte = np.uint64(255)
    for w in range(len(codes)):
        word = codes[w]
        for e in range(8):
            shift, part = np.uint64(8 * e), np.uint64(256 * (e & 3))
            to[part + ((word >> shift) & byte)] += packed[8 * w + e]


@njit(cache=True, nogil=True)
def _part(
    four: NDArray[np.int64],
    unit: float,
    to_s: NDArray[np.float64],
    to_r: NDArray[np.float64],
) -> None:
    """Add both halves of four partial histograms to the sums; set them to zero."""
    for k in range(256):
        both = four[k] + four[256 + k] + four[512 + k] + four[768 + k]
        lower = np.int64(np.int32(both))
        to_s[k] += unit * np.float64((both - lower) >> 32)
        to_r[k] += unit * np.float64(lower)
    four[:] = 0


@njit(cache=True, nogil=True)
def packed_histogram(
    words: NDArray[np.uint64],
    signed: NDArray[np.float64],
    pull: NDArray[np.float64],
    largest: float,
    S: NDArray[np.float64],
    R: NDArray[np.float64],
) -> None:
    """Sum signed into S and pull - |signed| into R by code.

    words are the rows' codes as ``words_of`` gives them; S and R (n_features, 256) are
    overwritten. largest bounds every |signed| and pull; a sum's error is at most the
    number of its rows times largest / 2^17.
    """
    n_features, n_rows = len(words), len(signed)
    S[:] = 0.0
    R[:] = 0.0
    scale = _HALF / CHUNK_ROWS / largest
    unit = 1.0 / scale
    packed = np.empty(CHUNK_ROWS, dtype=np.int64)
    partial = np.zeros((2, 1024), dtype=np.int64)
    one, two = partial[0], partial[1]
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
        # What fills the last word adds nothing to its code.
        packed[n_chunk:] = 0
        chunk = words[:, start // 8 : (stop + 7) // 8]
        for feature in range(0, n_features - 1, 2):
            _add_two(chunk[feature], chunk[feature + 1], packed, one, two)
            _part(one, unit, S[feature], R[feature])
            _part(two, unit, S[feature + 1], R[feature + 1])
        if n_features % 2:
            _add_one(chunk[n_features - 1], packed, one)
            _part(one, unit, S[n_features - 1], R[n_features - 1])
