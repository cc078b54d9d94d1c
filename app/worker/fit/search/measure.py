"""By what the candidates of a search are ranked.

With costs it is the mean cost of the decisions, whatever the rule. Without costs it is
what the rule itself is about:

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
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from app.train.pairs import rule_kind
from app.train.schemas import TrainRequest
from solvers import metrics
from solvers.costs import CostMatrix

__all__ = ["Judgement", "Measure", "measure_of"]

Floats = NDArray[np.float64]
Codes = NDArray[np.int8]
Figure = Callable[[Codes, Codes, Floats], float]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of decided rows: a function of labels, decisions and weights."""

    name: str
    figure: Figure
    higher_is_better: bool = False

    def loss(self, mean: float) -> float:
        """Return a number that is smaller for the better candidate."""
        return -mean if self.higher_is_better else mean


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Decided rows of all folds of one candidate; arrays of one length."""

    label: Codes
    called: Codes
    weight: Floats
    fold: NDArray[np.int64]

    def mean(self, measure: Measure) -> float:
        """Return the figure of all rows; NaN where it has no value."""
        return float(measure.figure(self.label, self.called, self.weight))

    def standard_error(self, measure: Measure) -> float | None:
        """Return the jackknife's; None where it has no value."""
        without = []
        for k in np.unique(self.fold):
            kept = self.fold != k
            arrays = self.label[kept], self.called[kept], self.weight[kept]
            without.append(float(measure.figure(*arrays)))
        spread = np.array(without)
        n = len(spread)
        error = sqrt((n - 1) / n * float(((spread - spread.mean()) ** 2).sum()))
        return error if isfinite(error) else None

    @property
    def reject_rate(self) -> float:
        """Return the share of rejected rows."""
        return float(metrics.reject_rate(self.called, self.weight))


def measure_of(request: TrainRequest, costs: CostMatrix | None) -> Measure:
    """Return the measure for the candidates of a request, given one of them."""
    if costs is not None:
        return Measure("expected_cost", _cost(costs))
    kind = rule_kind(request)
    if kind == "chow":
        threshold = float(getattr(request.rule, "reject_threshold", None) or 0.0)
        return Measure("chow_risk", _chow_risk(threshold))
    if kind == "bounded-abstention":
        return Measure("selective_error", metrics.selective_error)
    if kind == "bounded-error":
        return Measure("reject_rate", _rejected)
    return Measure(
        "normalized_mutual_information",
        metrics.normalized_mutual_information,
        higher_is_better=True,
    )


def _cost(costs: CostMatrix) -> Figure:
    def figure(label: Codes, called: Codes, weight: Floats) -> float:
        return float(np.average(costs.of_decisions(label, called), weights=weight))

    return figure


def _chow_risk(threshold: float) -> Figure:
    def figure(label: Codes, called: Codes, weight: Floats) -> float:
        wrong = (called != 0) & (called != label)
        return float(np.average(wrong + threshold * (called == 0), weights=weight))

    return figure


def _rejected(label: Codes, called: Codes, weight: Floats) -> float:
    del label
    return float(metrics.reject_rate(called, weight))
