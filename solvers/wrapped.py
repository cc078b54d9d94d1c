"""What decides inside of a pipeline or a search, which hand on what scikit-learn knows.

``decide`` is none of that, so it is looked for at the end of the one and in the best of
the other.
"""

from typing import Any

__all__ = ["unwrapped"]


def unwrapped(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return what decides, and the rows as it takes them.

    Raises
    ------
    TypeError
        When nothing in it can decide.
    """
    if hasattr(estimator, "decide"):
        return estimator, X
    if hasattr(estimator, "best_estimator_"):
        return unwrapped(estimator.best_estimator_, X)
    if hasattr(estimator, "steps"):
        rows = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
        return unwrapped(estimator.steps[-1][1], rows)
    msg = (
        f"{type(estimator).__name__} has no decide: put a classifier with a reject"
        " option at the end, such as RejectOptionClassifier(estimator, rule)"
    )
    raise TypeError(msg)
