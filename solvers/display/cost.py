"""Mean cost against the share of rejected cases, drawn."""

from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import ArrayLike

from solvers.display.axes import axes_for, mark, name_of, opened, positive_of, scores_of
from solvers.metrics import cost_coverage_curve, expected_cost, reject_rate
from solvers.metrics.confusion import Prices
from solvers.metrics.curves import CoverageCurve

__all__ = ["CostRejectDisplay"]


class CostRejectDisplay:
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

        ``positive`` names the label of +1 where the classifier was not told it.
        """
        name = name_of(estimator, name)
        estimator, X = opened(estimator, X)
        positive = positive_of(estimator, positive)
        return cls.from_predictions(
            y,
            scores_of(estimator, X, positive),
            costs,
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
        (self.line_,) = ax.plot(
            1.0 - self.curve.coverage,
            self.curve.value,
            **{"label": self.name or "", **line},
        )
        self.point_ = mark(ax, self.operating_point, self.line_)
        ax.set(xlabel="Reject rate", ylabel="Mean cost", xlim=(0.0, 1.0))
        ax.set_ylim(bottom=0.0)
        if self.name:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
