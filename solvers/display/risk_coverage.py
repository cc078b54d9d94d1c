"""Error among the decided cases against the share that is decided, drawn."""

from typing import Any, Self

from numpy.typing import ArrayLike

from solvers.display.axes import axes_for, name_of, positive_of
from solvers.metrics import area_under_risk_coverage, risk_coverage_curve
from solvers.metrics.curves import CoverageCurve

__all__ = ["RiskCoverageDisplay"]


class RiskCoverageDisplay:
    """The risk-coverage curve.

    Parameters
    ----------
    curve : CoverageCurve
    area : float, optional
        The area under it, for the legend.
    name : str, optional

    Attributes
    ----------
    line_, ax_, figure_ : matplotlib objects, after ``plot``
    """

    def __init__(
        self, curve: CoverageCurve, area: float | None = None, name: str | None = None
    ) -> None:
        self.curve = curve
        self.area = area
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "RiskCoverageDisplay":
        """Draw the curve of labels and scores."""
        curve = risk_coverage_curve(y_true, scores, sample_weight, positive=positive)
        area = area_under_risk_coverage(
            y_true, scores, sample_weight, positive=positive
        )
        return cls(curve, area, name).plot(ax=ax, **line)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "RiskCoverageDisplay":
        """Draw the curve of a fitted classifier with ``decision_function``."""
        return cls.from_predictions(
            y,
            estimator.decision_function(X),
            sample_weight,
            positive=positive_of(estimator),
            name=name_of(estimator, name),
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
        ax.set(xlabel="Coverage", ylabel="Error among the decided", xlim=(0.0, 1.0))
        ax.set_ylim(bottom=0.0)
        if label:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
