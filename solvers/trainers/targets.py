"""Labels and weights of a two-class training set, checked once."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

__all__ = ["binary_targets", "class_factors"]

Floats = NDArray[np.float64]


def binary_targets(y: ArrayLike) -> tuple[NDArray[Any], Floats]:
    """Return the two classes, ascending, and -1 or +1 for every row.

    Raises
    ------
    ValueError
        When there are not exactly two classes.
    """
    check_classification_targets(y)
    classes = np.unique(np.asarray(y))
    if len(classes) > 2:
        kind = type_of_target(y, input_name="y")
        msg = (
            "Only binary classification is supported. The type of the target is"
            f" {kind}, with {len(classes)} classes."
        )
        raise ValueError(msg)
    if len(classes) < 2:
        msg = f"two classes are needed, got 1 class only: {classes.tolist()}"
        raise ValueError(msg)
    return classes, np.where(np.asarray(y) == classes[1], 1.0, -1.0)


def class_factors(
    class_weight: Mapping[Any, float] | str | None,
    classes: NDArray[Any],
    signs: Floats,
    weights: Floats,
) -> Floats:
    """Return what multiplies each row's weight, by its class.

    Parameters
    ----------
    class_weight : mapping from label to factor >= 0, "balanced" or None
        Labels that the mapping leaves out have factor 1; "balanced" gives both
        classes the same total weight.
    classes : array of shape (2,)
    signs : array of shape (n_rows,), values -1 and +1
    weights : array of shape (n_rows,)
        The rows' own weights, which "balanced" counts.
    """
    if class_weight is None:
        return np.ones(len(signs))
    positive = signs > 0
    if not isinstance(class_weight, Mapping):
        if str(class_weight) != "balanced":
            msg = f'class_weight must be a mapping or "balanced", got {class_weight!r}'
            raise ValueError(msg)
        total = float(weights.sum())
        share = [float(weights[~positive].sum()), float(weights[positive].sum())]
        factors = [total / (2.0 * part) for part in share]
    else:
        unknown = [label for label in class_weight if label not in set(classes)]
        if unknown:
            msg = f"class_weight names {unknown}, the classes are {classes.tolist()}"
            raise ValueError(msg)
        factors = [float(class_weight.get(label, 1.0)) for label in classes]
        if not all(0 <= factor < np.inf for factor in factors):
            msg = f"class_weight must be finite and >= 0, got {class_weight}"
            raise ValueError(msg)
    return np.where(positive, factors[1], factors[0])
