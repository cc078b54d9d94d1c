"""Values to byte codes: the number of cut points below each value, without branches.

Eight halvings find a place among 256 padded cut points; the rows are read in blocks
that stay in cache while each feature is written as one contiguous line.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["bin_rows"]

_BLOCK = 1024


@njit(cache=True, nogil=True)
def bin_rows(
    X: NDArray[np.float64], cuts: NDArray[np.float64], codes: NDArray[np.uint8]
) -> None:
    """Write the code of X (n_rows, n_features) to codes (n_features, n_rows).

    cuts has shape (n_features, 256), ascending, padded by +inf; NaN becomes 255.
    """
    n_rows, n_features = X.shape
    for start in range(0, n_rows, _BLOCK):
        stop = min(n_rows, start + _BLOCK)
        for feature in range(n_features):
            line = cuts[feature]
            out = codes[feature, start:stop]
            for i in range(stop - start):
                value = X[start + i, feature]
                place = np.uint64(0)
                for step in (128, 64, 32, 16, 8, 4, 2, 1):
                    jump = np.uint64(step)
                    below = line[place + jump - np.uint64(1)] < value
                    place += jump * np.uint64(below)
                out[i] = np.uint8(255) if np.isnan(value) else np.uint8(place)
