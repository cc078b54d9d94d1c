"""Inner products of sparse rows with many others, and the sums over them.

The others are unpacked some hundred at a time into a panel, one line for each column
that any of them has. A sparse row then adds up a line for each of its own entries:
work in proportion to its entries, at the pace of a dense product, in a table that
stays in the second-level cache. A product of two sparse matrices would pay for every
entry of a dense result as for an entry of a sparse one.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Panel", "multiply_rows", "panels", "sparse_products"]

Indices = NDArray[np.int64]

# Columns and places of a panel, and the lines that it has for them.
Panel = tuple[int, int, NDArray[np.int32], NDArray[np.floating[Any]]]

_WIDTH = 512
_LEAST_WIDTH = 16
_PANEL_BYTES = 2**21
# One rounding for a * b + c; infinities and NaN keep their meaning.
_FUSED = {"contract"}


def panels(others: Any, dtype: Any = np.float64) -> Iterator[Panel]:
    """Unpack the rows of a CSR matrix, some hundred at a time.

    Yields
    ------
    (start, stop, place, lines)
        ``lines[place[c], k]`` is entry c of row ``start + k``; a negative place is a
        column that none of these rows has.
    """
    count, n_columns = others.shape
    place = np.full(n_columns, -1, dtype=np.int32)
    start, width = 0, _WIDTH
    while start < count:
        stop = min(start + width, count)
        part = others[start:stop]
        columns = np.unique(part.indices)
        size = len(columns) * (stop - start) * np.dtype(dtype).itemsize
        if size > _PANEL_BYTES and stop - start > _LEAST_WIDTH:
            width = max(_LEAST_WIDTH, (stop - start) // 2)
            continue
        place[columns] = np.arange(len(columns), dtype=np.int32)
        lines = np.zeros((len(columns), stop - start), dtype=dtype)
        which = np.repeat(np.arange(stop - start), np.diff(part.indptr))
        np.add.at(lines, (place[part.indices], which), part.data)
        yield start, stop, place, lines
        place[columns] = -1
        start = stop


def sparse_products(A: Any, B: Any) -> NDArray[np.float64]:
    """Return ``A @ B.T`` of two float64 CSR matrices as a dense array."""
    products = np.empty((A.shape[0], B.shape[0]))
    rows = np.arange(A.shape[0])
    for start, stop, place, lines in panels(B):
        out = products[:, start:stop]
        multiply_rows(A.data, A.indices, A.indptr, rows, place, lines, out)
    return products


@njit(cache=True, nogil=True, fastmath=_FUSED)
def multiply_rows(data, indices, indptr, rows, place, lines, out):  # type: ignore[no-untyped-def]
    """Write the products of sparse rows with those of a panel.

    Parameters
    ----------
    data, indices, indptr : arrays of a CSR matrix
    rows : (m,) int64
        Which of its rows.
    place : (n_columns,) int32
    lines : (n_lines, w) of the type of ``data``
    out : (m, w) of the same type
    """
    width = lines.shape[1]
    most = 0
    for a in range(len(rows)):
        most = max(most, indptr[rows[a] + 1] - indptr[rows[a]])
    factors = np.empty(most, data.dtype)
    found = np.empty(most, np.int64)
    for a in range(len(rows)):
        count = 0
        for p in range(indptr[rows[a]], indptr[rows[a] + 1]):
            line = place[indices[p]]
            if line >= 0:
                factors[count] = data[p]
                found[count] = line
                count += 1
        target = out[a, :width]
        target[:] = 0
        e = 0
        while e + 4 <= count:
            c0, c1, c2, c3 = factors[e], factors[e + 1], factors[e + 2], factors[e + 3]
            l0, l1 = lines[found[e]], lines[found[e + 1]]
            l2, l3 = lines[found[e + 2]], lines[found[e + 3]]
            for k in range(width):
                first = c0 * l0[k] + c1 * l1[k]
                target[k] += first + (c2 * l2[k] + c3 * l3[k])
            e += 4
        while e < count:
            c0 = factors[e]
            l0 = lines[found[e]]
            for k in range(width):
                target[k] += c0 * l0[k]
            e += 1
