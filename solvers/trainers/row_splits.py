"""Which rows a model trains on, and which it is then asked about.

Where ``cv`` is a number, each class has its share in every part; where groups are
given, the rows of one group stay together.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit, StratifiedGroupKFold, check_cv

from solvers.trainers.row_groups import draw_groups

__all__ = ["Split", "fold_split", "promise_split"]

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
        When a class has one row only, or a part trains on one class.
    """
    folds = _FOLDS if cv is None else cv
    if not _is_number(folds):
        return _checked(check_cv(folds, y, classifier=True).split(X, y, groups), y)
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
    cv: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
) -> Split:
    """Return the one split that a promise is counted on: a quarter is kept apart.

    Parameters
    ----------
    cv, X, y, groups
        As for ``fold_split``; of a splitter, or an iterable, the first split is taken.
    """
    if cv is not None and not _is_number(cv):
        return _checked(check_cv(cv, y).split(X, y, groups), y)[:1]
    if groups is None:
        apart = ShuffleSplit(1, test_size=_PROMISE_SHARE, random_state=0)
        return _checked(apart.split(X, y), y)
    random = np.random.RandomState(0)
    drawn = draw_groups(y == np.unique(y)[1], groups, _PROMISE_SHARE, random)
    return _checked([(~drawn, drawn)], y)


def _is_number(cv: Any) -> bool:
    return isinstance(cv, int | np.integer)


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
