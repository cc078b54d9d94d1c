"""Targets: labels, or probabilities of +1.

=========================================  ==========================================
values                                     meaning
=========================================  ==========================================
-1 or in [0, 1], any strictly inside       probabilities of +1; -1: certainly not
-1, 0 and 1                                the same: 0 and -1 both certainly not
any two other values, 0 and 1 among them   labels, ``pos_label`` is +1
=========================================  ==========================================

0 and 1 alone are read as labels; as probabilities they would give the same machine.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import type_of_target

from solvers.parameters import is_number
from solvers.trainers.targets import positive_label

__all__ = ["ProbabilityTargets", "probability_targets"]


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityTargets:
    """The two classes and the probability of +1, for each row.

    Parameters
    ----------
    classes : array of shape (2,)
    positive : label
        The one that is +1.
    probabilities : array of shape (n_rows,), within [0, 1]
    """

    classes: NDArray[Any]
    positive: Any
    probabilities: NDArray[np.float64]


def probability_targets(y: ArrayLike, pos_label: Any = None) -> ProbabilityTargets:
    """Read labels or probabilities.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    pos_label : label, optional
        Which of two labels is +1.

    Raises
    ------
    ValueError
        "Unknown label type" for numbers that are neither, when there is one class
        only, and when ``pos_label`` is none of the labels (of probabilities, not 1).
    """
    values = np.asarray(y)
    numbers = _numbers(values)
    if numbers is not None and _are_probabilities(numbers):
        if not (numbers > 0.0).any() or (numbers == 1.0).all():
            msg = f"two classes are needed, got 1 class only: {np.unique(values)}"
            raise ValueError(msg)
        if pos_label not in {None, 1}:
            msg = (
                f"the targets are probabilities of +1: pos_label={pos_label!r} is none"
            )
            raise ValueError(msg)
        return ProbabilityTargets(np.array([-1, 1]), 1, np.maximum(numbers, 0.0))
    classes = np.unique(values)
    if len(classes) > 2:
        msg = (
            f"Unknown label type: {type_of_target(values, input_name='y')}, with"
            f" {len(classes)} values from {classes[0]!r} to {classes[-1]!r}. Only"
            " binary classification is supported: two labels, or probabilities of the"
            " second one (within [0, 1], or -1 where it certainly is not)."
        )
        raise ValueError(msg)
    if len(classes) < 2:
        msg = f"two classes are needed, got 1 class only: {classes.tolist()}"
        raise ValueError(msg)
    positive = positive_label(classes, pos_label)
    return ProbabilityTargets(classes, positive, np.where(values == positive, 1.0, 0.0))


def _numbers(values: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return values as floats, None when they are no numbers."""
    if values.dtype.kind == "O" and not all(is_number(value) for value in values):
        return None
    return values.astype(np.float64) if values.dtype.kind in "fiuO" else None


def _are_probabilities(values: NDArray[np.float64]) -> bool:
    inside = (values > 0) & (values < 1)
    if not ((values == -1) | ((values >= 0) & (values <= 1))).all():
        return False
    distinct = set(np.unique(values).tolist())
    return bool(inside.any()) or (-1 in distinct and distinct != {-1, 1})
