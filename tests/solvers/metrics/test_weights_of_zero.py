"""Rows of weight zero count as if they were not there, for every metric."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import metrics
from solvers.costs import CostMatrix
from solvers.metrics.curves import CoverageCurve

COSTS = CostMatrix(1, 5, 0.5, 0.2)
OF_SCORES = [
    metrics.risk_coverage_curve,
    metrics.area_under_risk_coverage,
    metrics.excess_area_under_risk_coverage,
    lambda y, s, w: metrics.cost_coverage_curve(y, s, COSTS, w),
]
OF_DECISIONS = [
    metrics.augmented_confusion_matrix,
    metrics.error_rate,
    metrics.selective_error,
    metrics.positive_predictive_value,
    metrics.negative_predictive_value,
    metrics.modified_mutual_information,
    metrics.normalized_mutual_information,
    lambda _, d, w: metrics.reject_rate(d, w),
    lambda _, d, w: metrics.coverage(d, w),
    lambda y, _, w: metrics.label_entropy(y, w),
    lambda y, d, w: metrics.expected_cost(y, d, COSTS, w),
]
OF_PROBABILITIES = [metrics.brier_score]

label = st.sampled_from([-1, 1])
weight = st.sampled_from([0.0, 1.0, 2.5])


def told(answer):
    """Return the numbers of an answer, whatever its form."""
    if isinstance(answer, CoverageCurve):
        return np.concatenate((answer.coverage, answer.value, answer.threshold))
    return np.ravel(answer)


def drawn(values):
    rows = st.lists(st.tuples(label, values, weight), min_size=1, max_size=20)
    return rows.filter(lambda rows: any(w for *_, w in rows))


def same_without(metric, rows):
    y, value, w = (
        np.asarray(column, dtype=float) for column in zip(*rows, strict=True)
    )
    kept = w > 0
    there = told(metric(y, value, w))
    gone = told(metric(y[kept], value[kept], w[kept]))
    np.testing.assert_allclose(there, gone, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("metric", OF_SCORES)
@given(rows=drawn(st.integers(-4, 4)))
def test_of_scores(metric, rows):
    same_without(metric, rows)


@pytest.mark.parametrize("metric", OF_DECISIONS)
@given(rows=drawn(st.sampled_from([-1, 0, 1])))
def test_of_decisions(metric, rows):
    same_without(metric, rows)


@pytest.mark.parametrize("metric", OF_PROBABILITIES)
@given(rows=drawn(st.sampled_from([0.0, 0.2, 0.5, 1.0])))
def test_of_probabilities(metric, rows):
    same_without(metric, rows)
