"""What every display needs of matplotlib, imported late."""

from typing import Any

__all__ = ["axes_for", "name_of", "positive_of"]


def axes_for(ax: Any = None) -> Any:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    # A program that never draws does not load matplotlib.
    import matplotlib.pyplot as plt  # noqa: PLC0415

    return plt.subplots()[1]


def name_of(estimator: Any, name: str | None) -> str:
    """Return the name for the legend."""
    return type(estimator).__name__ if name is None else name


def positive_of(estimator: Any) -> Any:
    """Return the label that a fitted classifier calls +1."""
    return estimator.classes_[1]
