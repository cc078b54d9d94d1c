"""Neighbouring columns of a kernel table, and the scaled rows they stand for."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.kernels.sparse_products import panels

__all__ = ["Tile", "dense_tiles", "panel_tiles", "tile_products"]

Halves = NDArray[np.floating[Any]] | None


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """Columns from ``start`` to ``stop`` of a table.

    ``others`` is (n_features, width) when dense, a CSR matrix of the rows, or, with a
    ``place`` for each feature, a panel of them; where rows are evaluated one by one,
    which columns they are, or None for all. ``half`` are half their squared lengths.
    """

    start: int
    stop: int
    others: Any
    half: Halves
    place: NDArray[np.int32] | None = None


def panel_tiles(X: Any, half: Halves) -> list[Tile]:
    """Return tiles of the rows of a CSR matrix, in panels."""
    return [
        Tile(
            start, stop, lines, None if half is None else half[start:stop], place.copy()
        )
        for start, stop, place, lines in panels(X, X.dtype)
    ]


def dense_tiles(X: NDArray[Any], half: Halves, most_columns: int) -> list[Tile]:
    """Return tiles of about equal width of dense rows."""
    bounds = np.linspace(0, len(X), -(-len(X) // most_columns) + 1).astype(int)
    return [
        Tile(
            start,
            stop,
            X[start:stop].T.copy(),
            None if half is None else half[start:stop],
        )
        for start, stop in pairwise(bounds.tolist())
    ]


def tile_products(left: Any, others: Any) -> NDArray[np.floating[Any]]:
    """Return the inner products of rows with a tile's, dense or CSR."""
    if sparse.issparse(others):
        return np.ascontiguousarray((others @ left.T.toarray()).T)
    return np.asarray(left @ others)
