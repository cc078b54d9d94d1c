"""The 2 x 3 table of truth against decision, drawn."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.display.axes import axes_for, labels_of, opened, positive_of
from solvers.metrics import augmented_confusion_matrix
from solvers.wrapped import unwrapped

__all__ = ["AugmentedConfusionMatrixDisplay"]


class AugmentedConfusionMatrixDisplay:
    """How many of each class were called +1, called -1 or rejected.

    Parameters
    ----------
    table : ndarray of shape (2, 3)
        Rows: true +1, true -1. Columns: +1, -1, reject.
    labels : tuple of two
        The names of +1 and -1.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, after ``plot``
    """

    def __init__(
        self, table: NDArray[np.float64], labels: tuple[Any, Any] = ("+1", "-1")
    ) -> None:
        self.table = np.asarray(table, dtype=np.float64)
        self.labels = labels

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        decisions: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        positive: Any = None,
        labels: tuple[Any, Any] = ("+1", "-1"),
        ax: Any = None,
    ) -> "AugmentedConfusionMatrixDisplay":
        """Draw the table of labels and decisions (+1, -1, 0)."""
        table = augmented_confusion_matrix(
            y_true, decisions, sample_weight, positive=positive
        )
        return cls(table, labels).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        positive: Any = None,
        ax: Any = None,
    ) -> "AugmentedConfusionMatrixDisplay":
        """Draw the table of a fitted classifier with ``decide``."""
        estimator, X = unwrapped(*opened(estimator, X))
        positive = positive_of(estimator, positive)
        return cls.from_predictions(
            y,
            estimator.decide(X),
            sample_weight,
            positive=positive,
            labels=labels_of(estimator, positive),
            ax=ax,
        )

    def plot(self, *, ax: Any = None) -> Self:
        """Draw; returns the display."""
        ax = axes_for(ax)
        shares = self.table / np.maximum(self.table.sum(axis=1, keepdims=True), 1e-12)
        ax.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
        for row in range(2):
            for column in range(3):
                ax.text(
                    column,
                    row,
                    f"{self.table[row, column]:g}",
                    ha="center",
                    va="center",
                    color="white" if shares[row, column] > 0.5 else "black",
                )
        names = [str(label) for label in self.labels]
        ax.set(
            xticks=range(3),
            xticklabels=[*names, "reject"],
            yticks=range(2),
            yticklabels=names,
            xlabel="Decision",
            ylabel="True label",
        )
        self.ax_, self.figure_ = ax, ax.figure
        return self
