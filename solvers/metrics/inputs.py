"""The one door through which labels, decisions and weights enter a metric.

A label is never a decision: 0 as a label is the negative class, 0 as a decision is
reject. Both are told apart here, once.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["as_decisions", "as_positive", "as_scores", "as_weights", "is_missing"]

Floats = NDArray[np.float64]


def as_positive(y_true: ArrayLike, positive: Any = None) -> NDArray[np.bool_]:
    """Return which labels are the positive class, shape (n_rows,).

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
    positive : label, optional
        The positive class. May be left out for {-1, 1}, {0, 1} and booleans.

    Raises
    ------
    ValueError
        When a label is missing, there are more than two, or two and no way to know
        which is positive.
    """
    labels = np.asarray(y_true)
    if labels.ndim != 1:
        msg = f"labels must have shape (n_rows,), got {labels.shape}"
        raise ValueError(msg)
    absent = is_missing(labels)
    if absent.any():
        msg = f"the label is missing in row {int(np.argmax(absent))}: leave the row out"
        raise ValueError(msg)
    distinct = set(labels.tolist())
    if len(distinct) > 2:
        msg = f"labels must hold two classes, got {sorted(distinct, key=str)[:5]}"
        raise ValueError(msg)
    if positive is None:
        if not (distinct <= {-1, 1} or distinct <= {0, 1}):
            msg = f"which of the labels {sorted(distinct, key=str)} is positive?"
            raise ValueError(msg + " Name it: positive=...")
        positive = 1
    elif len(distinct) == 2 and positive not in distinct:
        msg = f"positive={positive!r} is none of {sorted(distinct, key=str)}"
        raise ValueError(msg)
    return np.asarray(labels == positive, dtype=bool)


def is_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which values are None or NaN, the one value that differs from itself."""
    if labels.dtype.kind == "O":
        absent = [label is None or label != label for label in labels.tolist()]  # noqa: PLR0124 - that is NaN
        return np.array(absent, dtype=bool)
    return np.asarray(labels != labels)  # noqa: PLR0124


def as_decisions(decisions: ArrayLike, n_rows: int) -> NDArray[np.int8]:
    """Return decisions as int8 codes +1, -1 and 0 (reject), shape (n_rows,)."""
    codes = np.asarray(decisions)
    if codes.shape != (n_rows,):
        msg = f"decisions must have shape ({n_rows},), got {codes.shape}"
        raise ValueError(msg)
    if codes.dtype == bool or not np.all(np.isin(codes, (-1, 0, 1))):
        msg = "decisions are the codes +1, -1 and 0 (reject), as decide() returns them"
        raise ValueError(msg)
    return codes.astype(np.int8)


def as_weights(sample_weight: ArrayLike | None, n_rows: int) -> Floats:
    """Return one non-negative weight per row (ones for None), shape (n_rows,)."""
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    legal = weights.shape == (n_rows,) and np.isfinite(weights).all()
    if not legal or (weights < 0).any():
        msg = f"sample_weight must hold {n_rows} finite numbers >= 0"
        raise ValueError(msg)
    return weights


def as_scores(scores: ArrayLike, n_rows: int) -> Floats:
    """Return finite scores, shape (n_rows,)."""
    values = np.ascontiguousarray(scores, dtype=np.float64)
    if values.shape != (n_rows,):
        msg = f"scores must hold {n_rows} finite numbers, got shape {values.shape}"
        raise ValueError(msg)
    if not (finite := np.isfinite(values)).all():
        row = int(np.argmin(finite))
        msg = f"scores must be finite, got {values[row]} in row {row}"
        raise ValueError(msg)
    return values


def as_groups(groups: ArrayLike | None, n_rows: int) -> NDArray[np.intp] | None:
    """Return the number of each row's group, shape (n_rows,), or None."""
    if groups is None:
        return None
    named = np.asarray(groups)
    if named.shape != (n_rows,):
        msg = f"groups must have shape ({n_rows},), got {named.shape}"
        raise ValueError(msg)
    absent = is_missing(named)
    if absent.any():
        msg = f"the group is missing in row {int(np.argmax(absent))}: leave the row out"
        raise ValueError(msg)
    return np.asarray(np.unique(named, return_inverse=True)[1])
