"""Features as small integers: ranks of distinct values (exact) or bins (histogram).

A value's code is the number of the feature's cut points below it, so that
``x <= cuts[k]`` exactly where ``code <= k``; a missing value has a code of its own.
Cut points lie midway between neighbouring distinct values: a threshold never
separates equal values, and exact search over codes is exact search over thresholds.

Byte codes are written without branches: eight halvings find a place among 256 padded
cut points. The rows are read in blocks that stay in cache while each feature is written
as one contiguous line.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solvers.boosting.streamed import StreamedRows
from solvers.threads import Team, even

__all__ = [
    "LEAST_CELLS",
    "MAX_BINS",
    "Codes",
    "bin_rows",
    "encode",
    "exact_codes",
    "histogram_codes",
]

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


MAX_BINS = 255
"""Bins of a histogram at most: the 256th value of a byte marks the missing ones."""

LEAST_CELLS = 1_000_000
"""Of a table below, one thread is as fast as two."""

_SAMPLE_ROWS = 50_000
_MISSING_BYTE = 255
_MISSING_RANK = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True)
class Codes:
    """The coded table.

    Parameters
    ----------
    values : ndarray of uint8 (bins) or int32 (ranks), shape (n_features, n_rows)
    cuts : list of n_features ascending float64 arrays
    missing : int
        The code of a missing value.
    has_missing : ndarray of bool, shape (n_features,)
        Whether a feature was ever missing.
    """

    values: NDArray[np.integer[Any]]
    cuts: list[NDArray[np.float64]]
    missing: int
    has_missing: NDArray[np.bool_]

    @property
    def counts(self) -> NDArray[np.int64]:
        """Return the number of codes of each feature, the missing one apart."""
        return np.array([len(c) + 1 for c in self.cuts], dtype=np.int64)


def exact_codes(X: NDArray[np.float64]) -> Codes:
    """Return codes that keep all distinct values apart, X of shape (rows, features)."""
    values = np.full(X.shape[::-1], _MISSING_RANK, dtype=np.int32)
    cuts = []
    for feature, column in enumerate(np.ascontiguousarray(X.T)):
        present = ~np.isnan(column)
        distinct, ranks = np.unique(column[present], return_inverse=True)
        values[feature, present] = ranks
        cuts.append(_between(distinct))
    return Codes(values, cuts, _MISSING_RANK, _any_missing(values, _MISSING_RANK))


def histogram_codes(
    X: NDArray[np.float64] | StreamedRows,
    weight: NDArray[np.float64],
    max_bins: int,
) -> Codes:
    """Return byte codes: weighted quantile bins, or one per value where few differ.

    Above 50,000 rows the cut points come from that many rows drawn with a fixed
    seed; every row is then coded. Rows that are streamed are read once for either.
    """
    rows: slice | NDArray[np.int64] = slice(None)
    if len(X) > _SAMPLE_ROWS:
        drawn = np.random.default_rng(0).integers(0, len(X), _SAMPLE_ROWS)
        rows = np.sort(drawn)
    sample, masses = X[rows], weight[rows]
    cuts = [
        _quantile_cuts(sample[:, f], masses, max_bins) for f in range(sample.shape[1])
    ]
    values = _binned(X, cuts)
    return Codes(values, cuts, _MISSING_BYTE, _any_missing(values, _MISSING_BYTE))


def encode(X: NDArray[np.float64], codes: Codes) -> Codes:
    """Return other rows in the codes of a table already coded."""
    if codes.missing == _MISSING_BYTE:
        values: NDArray[np.integer[Any]] = _binned(X, codes.cuts)
    else:
        values = np.empty(X.shape[::-1], dtype=np.int32)
        for f, cuts in enumerate(codes.cuts):
            found = np.searchsorted(cuts, X[:, f], side="left")
            values[f] = np.where(np.isnan(X[:, f]), codes.missing, found)
    return Codes(values, codes.cuts, codes.missing, codes.has_missing)


def _binned(
    X: NDArray[np.float64] | StreamedRows, cuts: list[NDArray[np.float64]]
) -> NDArray[np.uint8]:
    """Return the byte code of every value; +inf pads each feature's cut points."""
    padded = np.full((len(cuts), 256), np.inf)
    for feature, points in enumerate(cuts):
        padded[feature, : len(points)] = points
    n_rows, n_features = X.shape
    # Room for whole words of eight codes: see `words_of`.
    room = np.zeros((n_features, -(-n_rows // 8) * 8), dtype=np.uint8)
    values = room[:, :n_rows]
    if isinstance(X, StreamedRows):
        for start, block in X.blocks():
            bin_rows(block, padded, values[:, start : start + len(block)])
        return values
    table = np.ascontiguousarray(X)

    def rows(share: tuple[int, int]) -> None:
        part = slice(*share)
        bin_rows(table[part], padded, values[:, part])

    team = Team(1 if X.size < LEAST_CELLS else None)
    team.each(rows, even(len(table), team.size, multiple=_BLOCK))
    return values


def _quantile_cuts(
    column: NDArray[np.float64], weight: NDArray[np.float64], max_bins: int
) -> NDArray[np.float64]:
    present = ~np.isnan(column)
    column, weight = column[present], weight[present]
    if len(column) == 0:
        return np.empty(0)
    if (weight == weight[0]).all():
        # Sorting values is several times faster than sorting their places.
        ordered, masses = np.sort(column), weight
    else:
        order = np.argsort(column)
        ordered, masses = column[order], weight[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    distinct = ordered[starts]
    if len(distinct) <= max_bins:
        return _between(distinct)
    # A bin ends at the value whose cumulated weight crosses the next equal share.
    mass = np.cumsum(np.add.reduceat(masses, starts))
    shares = mass[-1] * np.arange(1, max_bins) / max_bins
    ends = np.unique(np.searchsorted(mass, shares * (1.0 - 1e-12)))
    ends = ends[ends < len(distinct) - 1]
    return np.asarray(_between(distinct)[ends])


def _between(distinct: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the midpoints of neighbours, never equal to the upper one."""
    lower, upper = distinct[:-1], distinct[1:]
    # Halves are added, since a sum could overflow.
    middle = lower / 2.0 + upper / 2.0
    return np.asarray(np.where((middle >= lower) & (middle < upper), middle, lower))


def _any_missing(values: NDArray[np.integer[Any]], missing: int) -> NDArray[np.bool_]:
    # No code is larger than that of a missing value.
    return np.asarray(values.max(axis=1, initial=0) == missing)
