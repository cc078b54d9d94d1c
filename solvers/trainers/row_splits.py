"""Which rows a model trains on, and which it is scored on.

Where ``cv`` is a number, each class has its share in every part; where groups are
given, the rows of one group stay together. What a promise is counted on follows from
the rows themselves (see ``solvers.rules.drawing``), not from a seed or their order.
"""

from hashlib import blake2b
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.model_selection import StratifiedGroupKFold, check_cv

from solvers.rules.drawing import drawn_rows, row_keys

__all__ = ["Split", "fold_split", "keys_of", "promise_split"]

Rows = NDArray[np.intp]
Split = list[tuple[Rows, Rows]]

_FOLDS = 5
# The part of the rows that a promise is counted on.
_PROMISE_SHARE = 0.25


def fold_split(cv: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None) -> Split:
    """Return the parts that out-of-fold scores are made on.

    Parameters
    ----------
    cv : int, None (5), splitter or iterable of (train, test)
        No more parts are made than the rarer class has rows, or than there are groups.
    X : array-like of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,), two labels
    groups : ndarray of shape (n_rows,) or None

    Raises
    ------
    ValueError
        When a class has one row only, a part trains on one class, or a row is tested
        twice.
    """
    folds = _FOLDS if cv is None else cv
    if not _is_number(folds):
        splitter = check_cv(folds, y, classifier=True)
        return _tested_once(_checked(splitter.split(X, y, groups), y))
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if smallest < 2:
        msg = "out-of-fold scores need at least two rows of each class"
        raise ValueError(msg)
    folds = min(int(folds), smallest)
    splitter = check_cv(folds, y, classifier=True)
    if groups is not None:
        splitter = StratifiedGroupKFold(min(folds, len(np.unique(groups))))
    return _checked(splitter.split(X, y, groups), y)


def promise_split(
    cv: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None, keys: ArrayLike
) -> Split:
    """Return the one split that a promise is counted on: a quarter is kept apart.

    Parameters
    ----------
    cv, X, y, groups
        As for ``fold_split``; of a splitter, or an iterable, the first split is taken.
    keys : ndarray of shape (n_rows,)
        Of ``keys_of``: they say which quarter it is. Rows are drawn whatever their
        class, as cases come; groups whole.
    """
    if cv is not None and not _is_number(cv):
        return _tested_once(_checked(check_cv(cv, y).split(X, y, groups), y)[:1])
    nothing = np.zeros(len(y))
    drawn = drawn_rows(nothing, nothing, groups, keys)
    together = np.arange(len(y)) if groups is None else groups
    unit = np.unique(together, return_inverse=True)[1]
    reached = np.cumsum(np.bincount(unit)[unit[drawn]])
    wanted = 1 + int(np.argmin(np.abs(reached - _PROMISE_SHARE * len(y))))
    apart = np.isin(unit, unit[drawn[: min(wanted, len(drawn) - 1)]])
    return _checked([(~apart, apart)], y)


def keys_of(X: Any, y: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each row that follows from its values and its label."""
    if issparse(X):
        csr = X.tocsr().sorted_indices()
        parts = [
            blake2b(
                csr.indices[low:high].astype(np.int64).tobytes()
                + csr.data[low:high].astype(np.float64).tobytes(),
                digest_size=8,
            ).digest()
            for low, high in pairwise(csr.indptr)
        ]
        whole = np.frombuffer(b"".join(parts), dtype=np.uint64)
        return row_keys([whole.astype(str), y])
    if hasattr(X, "iloc"):
        columns = [np.asarray(X.iloc[:, k]) for k in range(X.shape[1])]
    else:
        columns = list(np.atleast_2d(np.asarray(X).T))
    return row_keys([*columns, y])


def _is_number(cv: Any) -> bool:
    return isinstance(cv, int | np.integer)


def _tested_once(split: Split) -> Split:
    """Return a split that tests no row twice."""
    tested = np.concatenate([test for _, test in split])
    if len(np.unique(tested)) < len(tested):
        msg = "cv tests a row twice: use a splitter that partitions the rows"
        raise ValueError(msg)
    return split


def _checked(parts: Any, y: NDArray[Any]) -> Split:
    """Return splits as row numbers, each training on both classes."""
    numbers = np.arange(len(y))
    split = [(numbers[train], numbers[test]) for train, test in parts]
    if not split:
        msg = "cv gives no split: give a number of parts or a splitter"
        raise ValueError(msg)
    for place, (train, _) in enumerate(split, start=1):
        if len(np.unique(y[train])) < 2:
            msg = (
                f"split {place} of cv trains on one class only: use a splitter that"
                " shuffles or stratifies, or fewer parts"
            )
            raise ValueError(msg)
    return split
