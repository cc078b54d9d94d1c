"""Error among the decided cases against the share that is decided, drawn."""

from typing import Any, Self

from numpy.typing import ArrayLike

from solvers.display.axes import axes_for, mark, name_of, opened, positive_of, scores_of
from solvers.metrics import (
    area_under_risk_coverage,
    coverage,
    risk_coverage_curve,
    selective_error,
)
from solvers.metrics.curves import CoverageCurve, isotonic_share
from solvers.metrics.inputs import as_positive, as_scores, as_weights

__all__ = ["RiskCoverageDisplay"]


class RiskCoverageDisplay:
    """The error of the two thresholds with the fewest errors, at every coverage.

    Parameters
    ----------
    curve : CoverageCurve
    area : float, optional
        The area under it, for the legend.
    name : str, optional
    operating_point : tuple of two floats, optional
        Coverage and error of the decisions that are taken.

    Attributes
    ----------
    line_, point_, ax_, figure_ : matplotlib objects, after ``plot``
        ``point_`` is None where there is no operating point.
    """

    def __init__(
        self,
        curve: CoverageCurve,
        area: float | None = None,
        name: str | None = None,
        operating_point: tuple[float, float] | None = None,
    ) -> None:
        self.curve = curve
        self.area = area
        self.name = name
        self.operating_point = operating_point

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        decisions: ArrayLike | None = None,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "RiskCoverageDisplay":
        """Draw the curve of labels and scores of +1.

        ``decisions`` (+1, -1, 0), where they are given, are marked on it.
        """
        truth = as_positive(y_true, positive)
        values = as_scores(scores, len(truth))
        weights = as_weights(sample_weight, len(truth))
        margin = isotonic_share(truth, values, weights) - 0.5
        curve = risk_coverage_curve(truth, margin, weights)
        area = area_under_risk_coverage(truth, margin, weights)
        point = None
        if decisions is not None:
            error = selective_error(truth, decisions, weights)
            point = (coverage(decisions, weights), error)
        return cls(curve, area, name, point).plot(ax=ax, **line)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "RiskCoverageDisplay":
        """Draw the curve of a fitted classifier, and mark what it decides.

        ``positive`` names the label of +1 where the classifier was not told it.
        """
        name = name_of(estimator, name)
        estimator, X = opened(estimator, X)
        positive = positive_of(estimator, positive)
        return cls.from_predictions(
            y,
            scores_of(estimator, X, positive),
            sample_weight,
            decisions=estimator.decide(X) if hasattr(estimator, "decide") else None,
            positive=positive,
            name=name,
            ax=ax,
            **line,
        )

    def plot(self, *, ax: Any = None, **line: Any) -> Self:
        """Draw; keywords go to ``Axes.plot``. Returns the display."""
        ax = axes_for(ax)
        label = self.name or ""
        if self.area is not None:
            label = f"{label} (area {self.area:.3f})".strip()
        (self.line_,) = ax.plot(
            self.curve.coverage, self.curve.value, **{"label": label, **line}
        )
        self.point_ = mark(ax, self.operating_point, self.line_)
        ax.set(xlabel="Coverage", ylabel="Error among the decided", xlim=(0.0, 1.0))
        ax.set_ylim(bottom=0.0)
        if label:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
