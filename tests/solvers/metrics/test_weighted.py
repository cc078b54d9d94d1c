"""Weights are rows: weight 2 equals the row twice, weight 0 equals no row."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CostMatrix
from solvers import metrics as m

PRICES = CostMatrix(1, 5, 0.6, 0.3)
BY_DECISION = [
    m.augmented_confusion_matrix,
    m.error_rate,
    m.selective_error,
    m.positive_predictive_value,
    m.negative_predictive_value,
    m.modified_mutual_information,
    m.normalized_mutual_information,
]
BY_SCORE = [m.area_under_risk_coverage, m.excess_area_under_risk_coverage]
BY_PROBABILITY = [m.brier_score, m.calibration_error]

ROW = st.tuples(
    st.sampled_from([-1, 1]),
    st.sampled_from([-1, 0, 1]),
    st.integers(0, 12),
    st.integers(0, 3),
)


def both(drawn):
    """Return (truth, decision, score, probability), weights; and repeated rows."""
    y, decision, tenth, weight = (
        np.array(column) for column in zip(*drawn, strict=True)
    )
    score, probability = (tenth - 6) / 3, tenth / 12
    columns = y, decision, score, probability
    rows = np.repeat(np.arange(len(y)), weight)
    return columns, weight, tuple(column[rows] for column in columns)


@given(
    st.lists(ROW, min_size=1, max_size=25).filter(lambda rows: sum(r[3] for r in rows))
)
def test_a_weight_is_that_many_rows(drawn):
    (y, decision, score, probability), weight, repeated = both(drawn)
    more, more_decisions, more_scores, more_probabilities = repeated
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in BY_DECISION:
            got, expected = metric(y, decision, weight), metric(more, more_decisions)
            assert np.allclose(got, expected, equal_nan=True), metric.__name__
        for metric in BY_SCORE:
            got, expected = metric(y, score, weight), metric(more, more_scores)
            assert np.isclose(got, expected), metric.__name__
        for metric in BY_PROBABILITY:
            got = metric(y, probability, weight)
            expected = metric(more, more_probabilities)
            assert np.isclose(got, expected), metric.__name__
        cost = m.expected_cost(y, decision, PRICES, weight)
        assert np.isclose(cost, m.expected_cost(more, more_decisions, PRICES))
        for at, value in (("coverage", "value"), ("threshold", "threshold")):
            curve = m.risk_coverage_curve(y, score, weight)
            other = m.risk_coverage_curve(more, more_scores)
            assert np.allclose(getattr(curve, at), getattr(other, at))
            assert np.allclose(getattr(curve, value), getattr(other, value))
        curve = m.cost_coverage_curve(y, score, PRICES, weight)
        other = m.cost_coverage_curve(more, more_scores, PRICES)
        assert np.allclose(curve.coverage, other.coverage)
        assert np.allclose(curve.value, other.value)


@pytest.mark.parametrize(("y", "weight"), [([], None), ([1, -1], [0, 0])], ids=str)
def test_a_figure_of_no_rows_is_undefined(y, weight):
    nothing = np.zeros(len(y))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in (
            m.error_rate,
            m.selective_error,
            m.normalized_mutual_information,
        ):
            assert np.isnan(metric(y, nothing, weight)), metric.__name__
        for metric in BY_PROBABILITY:
            assert np.isnan(metric(y, nothing, weight)), metric.__name__
        assert np.isnan(m.expected_cost(y, nothing, PRICES, weight))
        assert np.isnan(m.reject_rate(nothing, weight))
        assert np.isnan(m.coverage(nothing, weight))


def test_the_divergence_of_no_rows_is_undefined():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(m.mean_binary_divergence([], []))


@pytest.mark.parametrize("positive", [None, 1, "a"])
@pytest.mark.parametrize(
    "labels",
    [[1, np.nan, -1], [1.0, np.nan, 1.0], ["a", None, "a"], [None, 1, 1]],
    ids=str,
)
def test_a_missing_label_is_refused_and_not_taken_for_the_negative_class(
    labels, positive
):
    labels = np.array(labels, dtype=object)
    with pytest.raises(ValueError, match="label is missing"):
        m.error_rate(labels, [1, 1, 1], positive=positive)
    if "a" not in labels and None not in labels:
        with pytest.raises(ValueError, match="label is missing"):
            m.error_rate(labels.astype(float), [1, 1, 1], positive=positive)


@pytest.mark.parametrize("costs", [{"false_positive": 1.0}, {}, None, 3.0], ids=str)
def test_prices_that_are_not_four_are_refused_by_name(costs):
    with pytest.raises((ValueError, TypeError), match="costs must"):
        m.expected_cost([1, -1], [1, 0], costs)
