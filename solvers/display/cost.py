"""Mean cost against the share of rejected cases, drawn."""

from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import ArrayLike

from solvers.display.axes import axes_for, name_of, positive_of
from solvers.metrics import cost_coverage_curve
from solvers.metrics.confusion import Prices
from solvers.metrics.curves import CoverageCurve

__all__ = ["CostRejectDisplay"]


class CostRejectDisplay:
    """What rejecting the least confident cases would cost, at every reject rate.

    Parameters
    ----------
    curve : CoverageCurve
        From ``cost_coverage_curve``.
    name : str, optional

    Attributes
    ----------
    line_, ax_, figure_ : matplotlib objects, after ``plot``
    """

    def __init__(self, curve: CoverageCurve, name: str | None = None) -> None:
        self.curve = curve
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike,
        costs: Prices | Mapping[str, float],
        sample_weight: ArrayLike | None = None,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "CostRejectDisplay":
        """Draw the curve of labels and scores at these costs."""
        curve = cost_coverage_curve(
            y_true, scores, costs, sample_weight, positive=positive
        )
        return cls(curve, name).plot(ax=ax, **line)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        costs: Prices | Mapping[str, float],
        sample_weight: ArrayLike | None = None,
        *,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "CostRejectDisplay":
        """Draw the curve of a fitted classifier with ``decision_function``."""
        return cls.from_predictions(
            y,
            estimator.decision_function(X),
            costs,
            sample_weight,
            positive=positive_of(estimator),
            name=name_of(estimator, name),
            ax=ax,
            **line,
        )

    def plot(self, *, ax: Any = None, **line: Any) -> Self:
        """Draw; keywords go to ``Axes.plot``. Returns the display."""
        ax = axes_for(ax)
        (self.line_,) = ax.plot(
            1.0 - self.curve.coverage,
            self.curve.value,
            **{"label": self.name or "", **line},
        )
        ax.set(xlabel="Reject rate", ylabel="Mean cost", xlim=(0.0, 1.0))
        ax.set_ylim(bottom=0.0)
        if self.name:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
