"""Curves over the share of rejected cases: mean cost, and error among the decided."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solvers.display.axes import axes_for, mark, name_of, opened, positive_of, scores_of
from solvers.metrics import (
    area_under_risk_coverage,
    cost_coverage_curve,
    coverage,
    expected_cost,
    reject_rate,
    risk_coverage_curve,
    selective_error,
)
from solvers.metrics.confusion import Prices
from solvers.metrics.curves import CoverageCurve, isotonic_share
from solvers.metrics.inputs import as_positive, as_scores, as_weights

__all__ = ["CostRejectDisplay", "RiskCoverageDisplay"]


class CurveDisplay(ABC):
    """A curve with the operating point of the decisions that are taken."""

    axis_labels: ClassVar[tuple[str, str]]

    curve: CoverageCurve
    name: str | None
    operating_point: tuple[float, float] | None

    def plot(self, *, ax: Any = None, **line: Any) -> Self:
        """Draw; keywords go to ``Axes.plot``. Returns the display."""
        ax, label = axes_for(ax), self._label()
        (self.line_,) = ax.plot(self._x(), self.curve.value, **{"label": label, **line})
        self.point_ = mark(ax, self.operating_point, self.line_)
        xlabel, ylabel = self.axis_labels
        ax.set(xlabel=xlabel, ylabel=ylabel, xlim=(0.0, 1.0))
        ax.set_ylim(bottom=0.0)
        if label:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _label(self) -> str:
        """Return what the legend says."""
        return self.name or ""

    @abstractmethod
    def _x(self) -> NDArray[np.float64]:
        """Return where the points of the curve are drawn."""


def of_estimator(
    estimator: Any, X: Any, positive: Any, name: str | None
) -> dict[str, Any]:
    """Return what a fitted classifier gives to ``from_predictions``."""
    name = name_of(estimator, name)
    estimator, X = opened(estimator, X)
    positive = positive_of(estimator, positive)
    return {
        "scores": scores_of(estimator, X, positive),
        "decisions": estimator.decide(X) if hasattr(estimator, "decide") else None,
        "positive": positive,
        "name": name,
    }


class CostRejectDisplay(CurveDisplay):
    """What the cheapest two thresholds would cost, at every reject rate.

    Parameters
    ----------
    curve : CoverageCurve
        From ``cost_coverage_curve``.
    name : str, optional
    operating_point : tuple of two floats, optional
        Reject rate and mean cost of the decisions that are taken.

    Attributes
    ----------
    line_, point_, ax_, figure_ : matplotlib objects, after ``plot``
        ``point_`` is None where there is no operating point.
    """

    axis_labels = ("Reject rate", "Mean cost")

    def __init__(
        self,
        curve: CoverageCurve,
        name: str | None = None,
        operating_point: tuple[float, float] | None = None,
    ) -> None:
        self.curve = curve
        self.name = name
        self.operating_point = operating_point

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        scores: ArrayLike,
        costs: Prices | Mapping[str, float],
        sample_weight: ArrayLike | None = None,
        *,
        decisions: ArrayLike | None = None,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "CostRejectDisplay":
        """Draw the curve of labels and scores of +1 at these costs.

        ``decisions`` (+1, -1, 0), where they are given, are marked on it.
        """
        curve = cost_coverage_curve(
            y_true, scores, costs, sample_weight, positive=positive
        )
        point = None
        if decisions is not None:
            cost = expected_cost(
                y_true, decisions, costs, sample_weight, positive=positive
            )
            point = (reject_rate(decisions, sample_weight), cost)
        return cls(curve, name, point).plot(ax=ax, **line)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        costs: Prices | Mapping[str, float],
        sample_weight: ArrayLike | None = None,
        *,
        positive: Any = None,
        name: str | None = None,
        ax: Any = None,
        **line: Any,
    ) -> "CostRejectDisplay":
        """Draw the curve of a fitted classifier, and mark what it decides.

        ``positive`` names the label of +1 where the classifier does not know it.
        """
        given = of_estimator(estimator, X, positive, name)
        return cls.from_predictions(
            y, costs=costs, sample_weight=sample_weight, ax=ax, **given, **line
        )

    def _x(self) -> NDArray[np.float64]:
        return 1.0 - self.curve.coverage


class RiskCoverageDisplay(CurveDisplay):
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

    axis_labels = ("Coverage", "Error among the decided")

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

        ``positive`` names the label of +1 where the classifier does not know it.
        """
        given = of_estimator(estimator, X, positive, name)
        return cls.from_predictions(
            y, sample_weight=sample_weight, ax=ax, **given, **line
        )

    def _label(self) -> str:
        label = super()._label()
        return label if self.area is None else f"{label} (area {self.area:.3f})".strip()

    def _x(self) -> NDArray[np.float64]:
        return self.curve.coverage
