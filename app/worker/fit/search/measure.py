"""By what the candidates of a search are ranked.

With costs it is the mean cost of the decisions, whatever the rule; where prices follow
columns, each row counts at its own. Without costs it is what the rule itself is about:

==================  ========================================================
chow                errors + threshold * rejects, a row (Chow's own risk)
bounded-abstention  share of errors among the decided rows
bounded-error       share of rejected rows
any other           normalised mutual information of class and decision
==================  ========================================================

The standard error is the jackknife's, one fold left out at a time:
``sqrt((K - 1) / K * sum_k (m_k - mean(m))^2)``.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from app.train.plan import TrainingPlan
from solvers import metrics

__all__ = ["Judgement", "Measure", "measure_of"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of decided rows."""

    name: str
    figure: "Callable[[Judgement], float]"
    higher_is_better: bool = False

    def loss(self, mean: float) -> float:
        """Return a number that is smaller for the better candidate."""
        return -mean if self.higher_is_better else mean


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Decided rows of all folds of one candidate; arrays of one length.

    ``cost`` is what each decision cost, NaN where there are no costs.
    """

    label: Codes
    called: Codes
    weight: Floats
    cost: Floats
    fold: NDArray[np.int64]

    def only(self, kept: NDArray[np.bool_]) -> "Judgement":
        """Return some of the rows."""
        return Judgement(*(getattr(self, each.name)[kept] for each in fields(self)))

    def mean(self, measure: Measure) -> float:
        """Return the figure of all rows; NaN where it has no value."""
        return float(measure.figure(self))

    def standard_error(self, measure: Measure) -> float | None:
        """Return the jackknife's; None where it has no value."""
        spread = np.array(
            [self.only(self.fold != k).mean(measure) for k in np.unique(self.fold)]
        )
        n = len(spread)
        error = sqrt((n - 1) / n * float(((spread - spread.mean()) ** 2).sum()))
        return error if isfinite(error) else None

    @property
    def reject_rate(self) -> float:
        """Return the share of rejected rows."""
        return float(metrics.reject_rate(self.called, self.weight))


def measure_of(plan: TrainingPlan) -> Measure:
    """Return the measure for the candidates of a plan."""
    if plan.request.costs is not None:
        return Measure("expected_cost", _cost)
    kind = plan.rule.kind
    if kind == "chow":
        threshold = float(getattr(plan.rule, "reject_threshold", None) or 0.0)
        return Measure("chow_risk", _chow_risk(threshold))
    if kind == "bounded-abstention":
        return Measure("selective_error", _of_decisions(metrics.selective_error))
    if kind == "bounded-error":
        return Measure("reject_rate", lambda of: of.reject_rate)
    information = _of_decisions(metrics.normalized_mutual_information)
    return Measure("normalized_mutual_information", information, higher_is_better=True)


def _cost(of: Judgement) -> float:
    return float(np.average(of.cost, weights=of.weight))


def _chow_risk(threshold: float) -> Callable[[Judgement], float]:
    def figure(of: Judgement) -> float:
        rejected = of.called == 0
        wrong = ~rejected & (of.called != of.label)
        return float(np.average(wrong + threshold * rejected, weights=of.weight))

    return figure


def _of_decisions(
    metric: Callable[[Codes, Codes, Floats], float],
) -> Callable[[Judgement], float]:
    return lambda of: metric(of.label, of.called, of.weight)
