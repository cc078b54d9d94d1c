"""One regression tree of two outputs, grown level by level on histograms.

A leaf with gradient g and curvature H (both summed over its rows) takes Newton's step
-(H + penalty I)^-1 g and is worth 1/2 g'(H + penalty I)^-1 g; a split's gain is what
its two leaves are worth together beyond their parent. Of two sisters the smaller is
summed and the other is the difference. Missing values go to the side that gains more,
and to the heavier side where a node has none.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["grow"]

_Array = NDArray[np.float64]
_Codes = NDArray[np.uint8]

_STATS = 6
_MISSING = 255
_BLOCK = 2048
_LEAST_GAIN = 1e-10


# Array expressions would do the same and triple the time to compile.
@njit(cache=True, nogil=True)
def _add(one: _Array, other: _Array, result: _Array) -> None:
    for k in range(len(result)):
        result[k] = one[k] + other[k]


@njit(cache=True, nogil=True)
def _subtract(one: _Array, other: _Array, result: _Array) -> None:
    for k in range(len(result)):
        result[k] = one[k] - other[k]


@njit(cache=True, nogil=True)
def _worth(sums: _Array, penalty: float) -> float:
    """Return 1/2 g'(H + penalty I)^-1 g."""
    g, k = sums[0], sums[1]
    a, c, d = sums[2] + penalty, sums[3], sums[4] + penalty
    determinant = a * d - c * c
    if determinant <= 0.0:
        return 0.0
    return float(0.5 * (d * g * g - 2.0 * c * g * k + a * k * k) / determinant)


@njit(cache=True, nogil=True)
def _newton(sums: _Array, penalty: float) -> tuple[float, float]:
    """Return -(H + penalty I)^-1 g."""
    g, k = sums[0], sums[1]
    a, c, d = sums[2] + penalty, sums[3], sums[4] + penalty
    determinant = a * d - c * c
    if determinant <= 0.0:
        return 0.0, 0.0
    return -(d * g - c * k) / determinant, -(a * k - c * g) / determinant


@njit(cache=True, nogil=True)
def _fill(codes: _Codes, stats: _Array, rows: NDArray[np.int32], table: _Array) -> None:
    """Sum the stats of some rows by feature and code: table (features, 256, 6)."""
    table[:] = 0.0
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK]
        for feature in range(len(codes)):
            code, to = codes[feature], table[feature]
            for i in block:
                cell, row = to[code[i]], stats[i]
                cell[0] += row[0]
                cell[1] += row[1]
                cell[2] += row[2]
                cell[3] += row[3]
                cell[4] += row[4]
                cell[5] += row[5]


@njit(cache=True, nogil=True)
def _best_split(
    table: _Array,
    counts: NDArray[np.int64],
    total: _Array,
    penalty: float,
    lightest: float,
) -> tuple[float, int, int, bool]:
    """Return (gain, feature, last code on the left, whether missing goes left)."""
    best, at_feature, at_code, at_missing = _LEAST_GAIN, -1, 0, False
    whole = _worth(total, penalty)
    left, with_missing, right = np.empty(_STATS), np.empty(_STATS), np.empty(_STATS)
    for feature in range(len(table)):
        left[:] = 0.0
        missing = table[feature, _MISSING]
        any_missing = missing[5] > 0.0
        for code in range(counts[feature]):
            _add(left, table[feature, code], left)
            for missing_left in (False, True):
                if missing_left and not any_missing:
                    continue
                for k in range(_STATS):
                    with_missing[k] = left[k]
                if missing_left:
                    _add(with_missing, missing, with_missing)
                _subtract(total, with_missing, right)
                if with_missing[5] < lightest or right[5] < lightest:
                    continue
                gain = _worth(with_missing, penalty) + _worth(right, penalty) - whole
                if gain > best:
                    best, at_feature, at_code = gain, feature, code
                    at_missing = missing_left
                    if not any_missing:
                        at_missing = with_missing[5] >= right[5]
    return best, at_feature, at_code, at_missing


@njit(cache=True, nogil=True)
def _part(
    code: _Codes, rows: NDArray[np.int32], last: int, missing_left: bool
) -> np.int64:
    """Put the rows that go left ahead, in order; return how many they are."""
    rest = np.empty(len(rows), dtype=np.int32)
    n_left = n_right = np.int64(0)
    for i in rows:
        if code[i] <= last or (code[i] == _MISSING and missing_left):
            rows[n_left] = i
            n_left += 1
        else:
            rest[n_right] = i
            n_right += 1
    for k in range(n_right):
        rows[n_left + k] = rest[k]
    return n_left


@njit(cache=True, nogil=True)
def _add_up(stats: _Array, rows: NDArray[np.int32], total: _Array) -> None:
    for i in rows:
        for k in range(_STATS):
            total[k] += stats[i, k]


@njit(cache=True, nogil=True)
def _write(
    node: NDArray[np.int64], feature: int, last: int, missing_left: bool, left: int
) -> None:
    node[0], node[1], node[2] = feature, last, np.int64(missing_left)
    node[3], node[4] = left, left + 1


@njit(cache=True, nogil=True)
def grow(
    codes: _Codes,
    counts: NDArray[np.int64],
    stats: _Array,
    options: tuple[int, float, float],
    leaf_of: NDArray[np.int32],
) -> tuple[NDArray[np.int64], _Array]:
    """Grow one tree.

    Parameters
    ----------
    codes : uint8 array of shape (n_features, n_rows)
    counts : int64 array of shape (n_features,)
        Codes of each feature, the missing one apart.
    stats : array of shape (n_rows, 6)
    options : (depth, penalty, least weight of a leaf)
    leaf_of : int32 array of shape (n_rows,)
        Receives the node in which each row ends.

    Returns
    -------
    nodes : int64 array of shape (n_nodes, 5)
        (feature or -1 at a leaf, last code on the left, missing left, left, right).
    values : array of shape (n_nodes, 2)
        Newton's step in h and r; of use at the leaves.
    """
    depth, penalty, lightest = options
    most = 2 ** (depth + 1) - 1
    nodes = np.zeros((most, 5), dtype=np.int64)
    nodes[:, 0] = -1
    values = np.zeros((most, 2))
    order = np.arange(len(stats)).astype(np.int32)
    bounds = np.zeros((most, 2), dtype=np.int64)
    bounds[0, 1] = len(stats)
    # Histograms live for the nodes of one level and their children.
    shape = (len(codes), 256, _STATS)
    tables = np.empty((1, *shape))
    totals = np.zeros((most, _STATS))
    _add_up(stats, order, totals[0])
    _fill(codes, stats, order, tables[0])
    n_nodes, first = 1, 0
    for level in range(depth + 1):
        stop = n_nodes
        below = np.empty((2 * (stop - first) if level + 1 < depth else 0, *shape))
        for node in range(first, stop):
            start, end = bounds[node]
            values[node, 0], values[node, 1] = _newton(totals[node], penalty)
            leaf_of[order[start:end]] = node
            if level == depth:
                continue
            _, feature, last, missing_left = _best_split(
                tables[node - first], counts, totals[node], penalty, lightest
            )
            if feature < 0:
                continue
            n_left = _part(codes[feature], order[start:end], last, missing_left)
            left, right = n_nodes, n_nodes + 1
            n_nodes += 2
            _write(nodes[node], feature, last, missing_left, left)
            bounds[left, 0], bounds[left, 1] = start, start + n_left
            bounds[right, 0], bounds[right, 1] = start + n_left, end
            small, large = (left, right) if 2 * n_left < end - start else (right, left)
            few = order[bounds[small, 0] : bounds[small, 1]]
            _add_up(stats, few, totals[small])
            _subtract(totals[node], totals[small], totals[large])
            if level + 1 < depth:
                _fill(codes, stats, few, below[small - stop])
                _subtract(
                    tables[node - first].reshape(-1),
                    below[small - stop].reshape(-1),
                    below[large - stop].reshape(-1),
                )
        tables, first = below, stop
    return nodes[:n_nodes], values[:n_nodes]
