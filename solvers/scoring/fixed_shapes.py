"""Products of rows whose bits do not depend on what else is in the batch.

Matrix products run on blocks of a fixed number of rows (the last one filled with
zeros) against at most ``SEGMENT`` columns, and sums over them are one dot product a
row, between arrays whose rows all begin at the same alignment (some libraries add up
in another order off a 16-byte boundary). Whether all positions of a block agree is
tried, not assumed; on a library where they do not, a block is one row.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["BLOCK", "LANES", "SEGMENT", "filled", "row_dots", "same_bits_everywhere"]

Floats = NDArray[np.float64]

BLOCK = 8
"""Rows of one matrix product."""

SEGMENT = 8192
"""Support vectors of one product; longer sums may be split between threads."""

LANES = 8
"""Rows of numbers are filled up with zeros to a multiple of this."""


def filled(length: int) -> int:
    """Return the length of a row that is filled up to whole lanes."""
    return -(-length // LANES) * LANES


def row_dots(rows: Floats, others: Floats) -> Floats:
    """Return one dot product a row, in pieces that no library splits further."""
    width = rows.shape[1]
    if width <= SEGMENT:
        return np.asarray(np.vecdot(rows, others))
    total = np.zeros(len(rows))
    for start in range(0, width, SEGMENT):
        piece = np.s_[..., start : start + SEGMENT]
        total += np.vecdot(rows[piece], others[piece])
    return total


def same_bits_everywhere(vectors: Floats) -> bool:
    """Tell whether a row's products are the same at every position of a block."""
    probe = np.random.default_rng(0).standard_normal((BLOCK, len(vectors)))
    turned = np.stack([np.roll(probe, shift, axis=0) for shift in range(BLOCK)])
    products = np.matmul(turned, vectors)
    alone = np.zeros((BLOCK, BLOCK, len(vectors)))
    alone[:, 0] = probe
    expected = np.matmul(alone, vectors)[:, 0]
    back = np.stack([np.roll(products[k], -k, axis=0) for k in range(BLOCK)])
    return bool((back == expected).all())
