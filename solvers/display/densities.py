"""The scores of both classes with the two thresholds between them, drawn."""

from math import isfinite
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.display.axes import axes_for, labels_of, opened, positive_of, scores_of
from solvers.metrics.inputs import as_positive, as_scores

__all__ = ["ScoreDensityDisplay"]


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
