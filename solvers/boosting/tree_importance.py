"""Each feature's part in a sum of trees, measured on training rows.

On its way down a tree a row's expected leaf changes at each split; the change belongs
to the feature of the split:

    c_f(x) = sum over the splits on f that x passes of (mean of the child - of the node)

with means over the measured rows. So the sum over features of c_f(x) is the row's own
output minus the mean output, and the mean of each c_f is 0. (Saabas' attribution: it
follows the tree that was grown, so of two features that tell the same the one that was
split on has it all.)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["measured_rows", "tree_importance"]

Floats = NDArray[np.float64]

_MOST_ROWS = 2_000
_MOST_WALKS = 2_000_000
_FEWEST_ROWS = 100


@njit(cache=True, nogil=True)
def _child(node, x, trees):  # type: ignore[no-untyped-def]
    _, threshold, left, right, missing_left, category, left_codes, _ = trees
    if np.isnan(x):
        goes_left = missing_left[node]
    elif category[node] >= 0:
        goes_left = left_codes[category[node], np.int64(x) & 255]
    else:
        goes_left = x <= threshold[node]
    return left[node] if goes_left else right[node]


@njit(cache=True, nogil=True)
def _mean_by_node(X, trees, value, weight):  # type: ignore[no-untyped-def]
    feature, left, roots = trees[0], trees[2], trees[-1]
    mass, sums = np.zeros(len(value)), np.zeros(value.shape)
    path = np.empty(len(value), dtype=np.int64)
    for i in range(len(X)):
        for root in roots:
            path[0], length = root, 1
            while left[path[length - 1]] >= 0:
                node = path[length - 1]
                path[length] = _child(node, X[i, feature[node]], trees)
                length += 1
            leaf = path[length - 1]
            for k in range(length):
                mass[path[k]] += weight[i]
                sums[path[k], 0] += weight[i] * value[leaf, 0]
                sums[path[k], 1] += weight[i] * value[leaf, 1]
    for node in range(len(mass)):
        if mass[node] > 0.0:
            sums[node] /= mass[node]
    return sums


@njit(cache=True, nogil=True)
def _add_changes(X, trees, mean, by_h, by_r):  # type: ignore[no-untyped-def]
    feature, left, roots = trees[0], trees[2], trees[-1]
    for i in range(len(X)):
        for root in roots:
            node = root
            while left[node] >= 0:
                f = feature[node]
                child = _child(node, X[i, f], trees)
                by_h[i, f] += mean[child, 0] - mean[node, 0]
                by_r[i, f] += mean[child, 1] - mean[node, 1]
                node = child


def measured_rows(n_rows: int, n_trees: int) -> NDArray[np.intp]:
    """Return which training rows are measured: evenly spaced, fewer for many trees."""
    most = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_WALKS // max(n_trees, 1)))
    if n_rows <= most:
        return np.arange(n_rows)
    return np.linspace(0, n_rows - 1, most).astype(np.intp)


def tree_importance(
    trees: Mapping[str, Any], X: Floats, weight: Floats, r: Floats | None
) -> dict[str, Floats]:
    """Return what each feature does, arrays of shape (n_features,).

    Parameters
    ----------
    trees : mapping
        See ``solvers.scoring.forest.forest_of``; complex values are h + i r.
    X : ndarray of shape (n_rows, n_features)
        The measured rows, categories as codes.
    weight : ndarray of shape (n_rows,)
    r : ndarray of shape (n_rows,), or None
        The reject function of each row; None where there is none.

    Returns
    -------
    dict
        "h": mean of |c_f| in h. With a rejector also "r", the same in r, and
        "rejected": the mean of -c_f in r over the rows with r <= 0, how far the
        feature pushes them into rejection (negative: it holds against it).
    """
    value = np.asarray(trees["value"])
    fields = (
        np.asarray(trees["feature"], dtype=np.int64),
        np.asarray(trees["threshold"], dtype=np.float64),
        np.asarray(trees["left"], dtype=np.int64),
        np.asarray(trees["right"], dtype=np.int64),
        np.asarray(trees["missing_left"], dtype=np.bool_),
        np.asarray(trees["category"], dtype=np.int64),
        np.asarray(trees["left_codes"], dtype=np.bool_).reshape(-1, 256),
        np.asarray(trees["roots"], dtype=np.int64),
    )
    rows = np.ascontiguousarray(X, dtype=np.float64)
    by_h, by_r = np.zeros(X.shape), np.zeros(X.shape)
    both = np.stack((value.real, value.imag), axis=1).astype(np.float64)
    _add_changes(rows, fields, _mean_by_node(rows, fields, both, weight), by_h, by_r)
    share = weight / weight.sum()
    importance = {"h": share @ np.abs(by_h)}
    if r is None:
        return importance
    lost = np.where(r <= 0.0, weight, 0.0)
    pushed = -(lost @ by_r) / max(lost.sum(), np.finfo(float).tiny)
    return importance | {"r": share @ np.abs(by_r), "rejected": pushed}
