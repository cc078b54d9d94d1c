"""What every display needs of matplotlib, imported late."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from solvers.wrapped import unwrapped

__all__ = [
    "axes_for",
    "labels_of",
    "mark",
    "name_of",
    "opened",
    "positive_of",
    "scores_of",
]


def axes_for(ax: Any = None) -> Any:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    # A program that never draws does not load matplotlib.
    import matplotlib.pyplot as plt  # noqa: PLC0415

    return plt.subplots()[1]


def opened(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return what decides in a pipeline or a search, and the rows as it takes them.

    Where nothing in it does, it is drawn as it is: a classifier of somebody else.

    Raises
    ------
    NotFittedError
        When it has not been fitted.
    """
    try:
        found, rows = unwrapped(estimator, X)
    except TypeError:
        found, rows = estimator, X
    if not hasattr(found, "classes_"):
        check_is_fitted(found)
    return found, rows


def name_of(estimator: Any, name: str | None) -> str:
    """Return the name for the legend."""
    return type(estimator).__name__ if name is None else name


def positive_of(estimator: Any, positive: Any = None) -> Any:
    """Return the label that is +1 for a fitted classifier.

    The one that is named, or the classifier's ``pos_label_``; else the larger one, or
    None for text, where the order of two labels means nothing.
    """
    if positive is not None:
        return positive
    if hasattr(estimator, "pos_label_"):
        return estimator.pos_label_
    larger = estimator.classes_[1]
    return None if isinstance(larger, str | bytes) else larger


def scores_of(estimator: Any, X: Any, positive: Any) -> NDArray[np.float64]:
    """Return the scores of +1 of a fitted classifier, shape (n_rows,).

    ``positive_score`` where it has that, else what scikit-learn's classifiers have.
    """
    if hasattr(estimator, "positive_score"):
        return np.asarray(estimator.positive_score(X))
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X))
    else:
        p = np.asarray(estimator.predict_proba(X))[:, 1]
        # The order counts; certain rows stay finite.
        p = np.clip(p, 1e-9, 1.0 - 1e-9)
        scores = np.log(p) - np.log1p(-p)
    return -scores if positive == estimator.classes_[0] else scores


def labels_of(estimator: Any, positive: Any) -> tuple[Any, Any]:
    """Return the label of +1 and the other of a fitted classifier."""
    lower, upper = estimator.classes_
    return (lower, upper) if positive == lower else (upper, lower)


def mark(ax: Any, point: tuple[float, float] | None, line: Any) -> Any:
    """Mark an operating point in the colour of its curve; None where there is none."""
    if point is None or not np.isfinite(point).all():
        return None
    (drawn,) = ax.plot(*point, marker="o", linestyle="", color=line.get_color())
    return drawn
