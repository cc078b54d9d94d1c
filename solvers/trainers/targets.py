"""Labels and weights of a two-class training set, checked once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target

__all__ = [
    "BinaryTargets",
    "binary_targets",
    "class_factors",
    "class_odds",
    "positive_label",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BinaryTargets:
    """Labels as -1 and +1.

    Parameters
    ----------
    classes : ndarray of shape (2,)
        Ascending.
    positive : label
        The one that is +1.
    signs : ndarray of shape (n_rows,), values -1 and +1
    """

    classes: NDArray[Any]
    positive: Any
    signs: Floats

    @property
    def labels(self) -> list[Any]:
        """Return the label of -1 and that of +1."""
        listed: list[Any] = self.classes.tolist()
        return listed if self.positive == self.classes[1] else listed[::-1]


def binary_targets(y: ArrayLike, pos_label: Any = None) -> BinaryTargets:
    """Read the labels of two classes.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
    pos_label : label, optional
        See ``positive_label``.

    Raises
    ------
    ValueError
        When there are not exactly two classes, or ``pos_label`` is none of them.
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
    positive = positive_label(classes, pos_label)
    return BinaryTargets(
        classes, positive, np.where(np.asarray(y) == positive, 1.0, -1.0)
    )


def positive_label(classes: NDArray[Any], pos_label: Any = None) -> Any:
    """Return which of two labels +1 stands for.

    Parameters
    ----------
    classes : ndarray of shape (2,)
        Ascending.
    pos_label : label, optional
        The larger one where none is named. Text has no larger one that means
        anything: then a warning tells both readings.

    Raises
    ------
    ValueError
        When ``pos_label`` is none of the classes.
    """
    if pos_label is not None:
        for label in classes:
            if label == pos_label:
                return label
        msg = f"pos_label={pos_label!r} is none of the labels {classes.tolist()}"
        if isinstance(pos_label, str) and classes.tolist() == [0, 1]:
            msg += (
                "; what numbers labels before it fits (cross_val_predict of"
                " probabilities, stacking, voting) needs labels that are numbers"
            )
        raise ValueError(msg)
    lower, upper = classes.tolist()
    if isinstance(upper, str | bytes):
        warn(
            f"the labels {lower!r} and {upper!r} are text, and the later one in the"
            f" alphabet is taken for +1: false_negative is the price of calling"
            f" {upper!r} {lower!r}, and decide() gives +1 for {upper!r}. Where"
            f" {lower!r} is meant, say pos_label={lower!r};"
            f" pos_label={upper!r} keeps this reading without a warning",
            UserWarning,
            stacklevel=4,
        )
    return classes[1]


def class_factors(
    class_weight: Mapping[Any, float] | str | None,
    labels: Sequence[Any],
    signs: Floats,
    weights: Floats,
) -> Floats:
    """Return what multiplies each row's weight, by its class.

    Parameters
    ----------
    class_weight : mapping from label to factor >= 0, "balanced" or None
        Labels that the mapping leaves out have factor 1; "balanced" gives both
        classes the same total weight.
    labels : sequence of two
        The label of -1 and that of +1.
    signs : array of shape (n_rows,), values -1 and +1
    weights : array of shape (n_rows,)
        The rows' own weights, which "balanced" counts.
    """
    if class_weight is None:
        return np.ones(len(signs))
    positive = signs > 0
    if not isinstance(class_weight, Mapping):
        total = float(weights.sum())
        share = [float(weights[~positive].sum()), float(weights[positive].sum())]
        factors = [total / (2.0 * part) for part in share]
    else:
        unknown = [label for label in class_weight if label not in set(labels)]
        if unknown:
            msg = f"class_weight names {unknown}, the classes are {list(labels)}"
            raise ValueError(msg)
        factors = [float(class_weight.get(label, 1.0)) for label in labels]
        if not all(0 <= factor < np.inf for factor in factors):
            msg = f"class_weight must be finite and >= 0, got {class_weight}"
            raise ValueError(msg)
    return np.where(positive, factors[1], factors[0])


def class_odds(factors: Floats, signs: Floats) -> float:
    """Return how often a +1 counts for each time that a -1 does.

    By that much class weights raise the odds that a score speaks of. A class without
    weight has no odds: 1.

    Parameters
    ----------
    factors : array of shape (n_rows,)
        As ``class_factors`` gives them.
    signs : array of shape (n_rows,), values -1 and +1, both there
    """
    up, down = float(factors[signs > 0][0]), float(factors[signs < 0][0])
    return up / down if up > 0.0 and down > 0.0 else 1.0
