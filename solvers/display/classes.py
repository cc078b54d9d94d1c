"""What becomes of the two classes: the table of decisions, the densities of scores."""

from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.display.axes import axes_for, labels_of, opened, positive_of, scores_of
from solvers.metrics import augmented_confusion_matrix
from solvers.metrics.inputs import as_positive, as_scores
from solvers.wrapped import unwrapped

__all__ = ["AugmentedConfusionMatrixDisplay", "ScoreDensityDisplay"]


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


class ScoreDensityDisplay:
    """Histograms of the scores of +1 and -1, as densities, and the reject band.

    Parameters
    ----------
    scores : ndarray of shape (n_rows,)
    is_positive : ndarray of bool, shape (n_rows,)
    thresholds : tuple of two floats, optional
        Lower and upper; infinite ones are not drawn.
    labels : tuple of two
        The names of +1 and -1.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects, after ``plot``
    """

    def __init__(
        self,
        scores: NDArray[np.float64],
        is_positive: NDArray[np.bool_],
        thresholds: tuple[float, float] | None = None,
        labels: tuple[Any, Any] = ("+1", "-1"),
    ) -> None:
        self.scores = scores
        self.is_positive = is_positive
        self.thresholds = thresholds
        self.labels = labels

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike,
        *,
        thresholds: tuple[float, float] | None = None,
        positive: Any = None,
        labels: tuple[Any, Any] = ("+1", "-1"),
        ax: Any = None,
        **bars: Any,
    ) -> "ScoreDensityDisplay":
        """Draw the densities of labels and scores."""
        truth = as_positive(y_true, positive)
        values = as_scores(scores, len(truth))
        return cls(values, truth, thresholds, labels).plot(ax=ax, **bars)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        positive: Any = None,
        ax: Any = None,
        **bars: Any,
    ) -> "ScoreDensityDisplay":
        """Draw the densities of a fitted classifier, with its thresholds if it has.

        Thresholds on a probability are not on the axis of the scores; the calibrated
        probability is drawn instead of the score then.
        """
        estimator, X = opened(estimator, X)
        rule = getattr(estimator, "rule_", None)
        on_probability = getattr(rule, "on", "score") == "probability"
        positive = positive_of(estimator, positive)
        if on_probability:
            values = estimator.probability(X)
        else:
            values = scores_of(estimator, X, positive)
        thresholds = None if rule is None else (rule.lower_, rule.upper_)
        return cls.from_predictions(
            y,
            values,
            thresholds=thresholds,
            positive=positive,
            labels=labels_of(estimator, positive),
            ax=ax,
            **bars,
        )

    def plot(self, *, ax: Any = None, **bars: Any) -> Self:
        """Draw; keywords go to ``Axes.hist``. Returns the display."""
        ax = axes_for(ax)
        edges = np.histogram_bin_edges(self.scores, bins="fd")
        if len(edges) > 200:
            edges = np.histogram_bin_edges(self.scores, bins=200)
        look = {"bins": edges, "density": True, "alpha": 0.5, **bars}
        for label, mask in zip(
            self.labels, (self.is_positive, ~self.is_positive), strict=True
        ):
            if mask.any():
                ax.hist(self.scores[mask], label=str(label), **look)
        self._draw_band(ax)
        ax.set(xlabel="Score", ylabel="Density")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_band(self, ax: Any) -> None:
        if self.thresholds is None:
            return
        lower, upper = self.thresholds
        for threshold in {lower, upper}:
            if isfinite(threshold):
                ax.axvline(threshold, color="black", linestyle="--")
        if isfinite(lower) and isfinite(upper) and lower < upper:
            ax.axvspan(lower, upper, color="grey", alpha=0.2, label="reject")
