"""How good decisions with a reject option are.

Decisions are the codes +1, -1 and 0 (reject); labels are -1 and +1, or any two values
with ``positive`` naming one of them.
"""

from solvers.metrics.bootstrap import bootstrap_interval
from solvers.metrics.confusion import (
    augmented_confusion_matrix,
    coverage,
    error_rate,
    expected_cost,
    negative_predictive_value,
    positive_predictive_value,
    reject_rate,
    selective_error,
)
from solvers.metrics.curves import (
    area_under_risk_coverage,
    cost_coverage_curve,
    excess_area_under_risk_coverage,
    risk_coverage_curve,
)
from solvers.metrics.information import (
    label_entropy,
    modified_mutual_information,
    normalized_mutual_information,
)
from solvers.metrics.intervals import Interval, decision_intervals, table_intervals
from solvers.metrics.probability import (
    Reliability,
    brier_score,
    calibration_error,
    mean_binary_divergence,
    reliability,
)

__all__ = [
    "Interval",
    "Reliability",
    "area_under_risk_coverage",
    "augmented_confusion_matrix",
    "bootstrap_interval",
    "brier_score",
    "calibration_error",
    "cost_coverage_curve",
    "coverage",
    "decision_intervals",
    "error_rate",
    "excess_area_under_risk_coverage",
    "expected_cost",
    "label_entropy",
    "mean_binary_divergence",
    "modified_mutual_information",
    "negative_predictive_value",
    "normalized_mutual_information",
    "positive_predictive_value",
    "reject_rate",
    "reliability",
    "risk_coverage_curve",
    "selective_error",
    "table_intervals",
]
