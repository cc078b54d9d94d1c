"""How much the decisions say about the truth, in nats.

    I_m(T; Y) = sum over t, y in {+1, -1} of  c_ty / N  log( N c_ty / (N_t N_y) )

the *modified* mutual information: the reject column enters N_t and N but has no term of
its own, so rejecting lowers it. It is not the mutual information of the three-valued
decision. Divided by the entropy of the labels it is normalised.

Source: Xu and Hu (2013), equation (3), with 0 log 0 = 0.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.metrics.confusion import augmented_confusion_matrix

__all__ = [
    "information_of_table",
    "label_entropy",
    "modified_mutual_information",
    "normalized_mutual_information",
]

Floats = NDArray[np.float64]


def modified_mutual_information(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the modified mutual information of truth and decision, in nats.

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    table = augmented_confusion_matrix(
        y_true, decisions, sample_weight, positive=positive
    )
    return float(information_of_table(table))


def label_entropy(
    y_true: ArrayLike, sample_weight: ArrayLike | None = None, *, positive: Any = None
) -> float:
    """Return the entropy of the labels, in nats.

    Parameters
    ----------
    y_true, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    decisions = np.zeros(len(np.asarray(y_true)), dtype=np.int8)
    table = augmented_confusion_matrix(
        y_true, decisions, sample_weight, positive=positive
    )
    return float(entropy_of_table(table))


def normalized_mutual_information(
    y_true: ArrayLike,
    decisions: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    positive: Any = None,
) -> float:
    """Return the modified mutual information over the entropy of the labels.

    NaN where only one class is present: there is nothing to be told then.

    Parameters
    ----------
    y_true, decisions, sample_weight, positive
        As in ``augmented_confusion_matrix``.
    """
    table = augmented_confusion_matrix(
        y_true, decisions, sample_weight, positive=positive
    )
    return float(normalized_of_table(table))


def information_of_table(tables: Floats) -> Floats:
    """Return the modified mutual information of a table, or of a stack of them."""
    decided = tables[..., :2]
    total = tables.sum(axis=(-1, -2))[..., None, None]
    truth = tables.sum(axis=-1)[..., None]
    called = decided.sum(axis=-2)[..., None, :]
    filled = decided > 0.0
    # log of a product of ratios, none of which overflows where counts are large.
    inside = np.where(filled, decided, 1.0)
    ratio = np.log(inside / np.where(filled, truth, 1.0)) - np.log(
        np.where(filled, called, 1.0) / np.where(total > 0, total, 1.0)
    )
    terms = np.where(filled, decided * ratio, 0.0).sum(axis=(-1, -2))
    return np.asarray(terms / np.where(total > 0, total, 1.0)[..., 0, 0])


def entropy_of_table(tables: Floats) -> Floats:
    """Return the entropy of the truth of a table, or of a stack of them."""
    truth = tables.sum(axis=-1)
    share = truth / np.where(truth.sum(axis=-1) > 0, truth.sum(axis=-1), 1.0)[..., None]
    logs = np.log(np.where(share > 0, share, 1.0))
    return np.asarray(-(share * logs).sum(axis=-1))


def normalized_of_table(tables: Floats) -> Floats:
    """Return the normalised modified information of a table, or of a stack."""
    entropy = entropy_of_table(tables)
    known = entropy > 0.0
    ratio = information_of_table(tables) / np.where(known, entropy, 1.0)
    return np.asarray(np.where(known, ratio, np.nan))
