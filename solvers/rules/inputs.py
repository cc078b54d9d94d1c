"""The one door through which scores and labels enter a rule."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.errors import InfeasibleRuleError

__all__ = ["as_scores", "as_weights", "checked", "shares_of"]

Floats = NDArray[np.float64]


def as_scores(scores: ArrayLike) -> Floats:
    """Return scores as a finite float64 array of shape (n_rows,)."""
    values = np.ascontiguousarray(scores, dtype=np.float64)
    if values.ndim != 1:
        msg = f"scores must have shape (n_rows,), got {values.shape}"
        raise ValueError(msg)
    if values.size and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        msg = f"scores must be finite, got {values[row]} in row {row}"
        raise ValueError(msg)
    return values


def as_positive(y: ArrayLike, n_rows: int) -> NDArray[np.bool_]:
    """Return which labels are +1, shape (n_rows,)."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        msg = f"y must have one label per score, shape ({n_rows},), got {labels.shape}"
        raise ValueError(msg)
    positive = np.asarray(labels == 1, dtype=bool)
    legal = positive | (labels == -1)
    if labels.dtype == bool or not np.all(legal):
        odd = labels if labels.dtype == bool else labels[~np.asarray(legal)]
        first = repr(odd.tolist()[0])
        msg = f"y must hold -1 and +1 only, got {first}; map your labels first"
        raise ValueError(msg)
    return positive


def as_weights(sample_weight: ArrayLike | None, n_rows: int) -> Floats | None:
    """Return weights as non-negative finite float64, shape (n_rows,), or None."""
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        msg = f"sample_weight must have shape ({n_rows},), got {weights.shape}"
        raise ValueError(msg)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        msg = "sample_weight must be finite and not negative"
        raise ValueError(msg)
    return weights


def checked(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
) -> tuple[Floats, NDArray[np.bool_], Floats | None]:
    """Return scores, which rows are +1, and weights, all checked.

    Raises
    ------
    ValueError
        On shapes that disagree, scores that are not finite, labels other than -1
        and +1.
    InfeasibleRuleError
        When a class is absent (or has no weight).
    """
    values = as_scores(scores)
    positive = as_positive(y, len(values))
    weights = as_weights(sample_weight, len(values))
    present = positive if weights is None else positive[weights > 0]
    n_positive = int(np.count_nonzero(present))
    if n_positive in {0, len(present)}:
        missing = "+1" if n_positive == 0 else "-1"
        msg = (
            f"a reject rule needs rows of both classes, and none of the {len(present)}"
            f" rows is {missing}; give it more labelled rows"
        )
        raise InfeasibleRuleError(msg)
    return values, positive, weights


def shares_of(scores: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """Return scores and the probability of +1 of each row, checked.

    Parameters
    ----------
    scores : array-like of shape (n_rows,)
    y : array-like of shape (n_rows,)
        Labels -1 and +1, or probabilities of +1 in [0, 1].

    Raises
    ------
    ValueError, InfeasibleRuleError
        As for ``checked``; a class is there where its probabilities add up to some.
    """
    values, given = as_scores(scores), np.asarray(y)
    fractions = given.dtype.kind == "f" and given.size and bool((given >= 0.0).all())
    if not fractions or given.shape != values.shape or (given == 1.0).all():
        values, positive, _ = checked(scores, y)
        return values, positive.astype(np.float64)
    share = given.astype(np.float64)
    if not (share <= 1.0).all():
        msg = f"y must hold labels -1 and +1, or probabilities, got {share.max()!r}"
        raise ValueError(msg)
    if not 0.0 < share.sum() < len(share):
        checked(scores, np.where(share > 0.0, 1, -1))  # which class is absent
    return values, share
