"""Curves of risk and of cost against coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import metrics
from solvers.costs import CostMatrix, RowCosts
from tests.solvers.metrics.test_metrics import COSTS, unzip


@given(
    st.lists(
        st.tuples(st.sampled_from([-1, 1]), st.integers(-5, 5)), min_size=1, max_size=40
    )
)
def test_the_risk_coverage_curve_is_the_error_of_each_threshold(drawn):
    y, scores = unzip(drawn)
    curve = metrics.risk_coverage_curve(y, scores)
    assert curve.coverage[-1] == 1.0
    for coverage, risk, threshold in zip(
        curve.coverage, curve.value, curve.threshold, strict=True
    ):
        kept = np.abs(scores) >= threshold
        assert coverage == pytest.approx(kept.mean())
        wrong = np.where(scores > 0, 1, -1) != y
        assert risk == pytest.approx(wrong[kept].mean())
    assert len(curve.coverage) == len(np.unique(np.abs(scores)))
    assert -1e-12 <= metrics.area_under_risk_coverage(y, scores) <= 1 + 1e-12
    assert metrics.excess_area_under_risk_coverage(y, scores) >= -1e-12


def test_the_best_order_has_no_excess_area():
    rng = np.random.default_rng(0)
    wrong = rng.random(2000) < 0.2
    scores = np.where(wrong, 0.5, 1.0) + 0.1 * rng.random(2000)
    y = np.where(wrong, -1, 1)
    assert metrics.excess_area_under_risk_coverage(y, scores) == pytest.approx(
        0.0, abs=1e-12
    )
    reversed_order = metrics.excess_area_under_risk_coverage(y, 2.0 - scores)
    assert reversed_order > 0.3
    constant = metrics.area_under_risk_coverage(y, np.ones(2000))
    assert constant == pytest.approx(wrong.mean())


@given(
    st.lists(
        st.tuples(st.sampled_from([-1, 1]), st.integers(-5, 5)), min_size=1, max_size=40
    )
)
def test_the_cost_coverage_curve_is_the_cost_of_each_threshold(drawn):
    y, scores = unzip(drawn)
    trust = np.abs(scores)
    curve = metrics.cost_coverage_curve(y, scores, COSTS, confidence=trust)
    assert curve.coverage[0] == 0.0
    for cost, threshold in zip(curve.value, curve.threshold, strict=True):
        called = np.where(scores > 0, 1, -1)
        decided = np.where(np.abs(scores) >= threshold, called, 0)
        assert cost == pytest.approx(COSTS.of_decisions(y, decided).mean())


@given(
    st.lists(
        st.tuples(
            st.sampled_from([-1, 1]), st.integers(-5, 5), st.sampled_from([0.1, 1, 50])
        ),
        min_size=1,
        max_size=30,
    )
)
def test_rows_with_prices_of_their_own_are_decided_by_what_that_saves(drawn):
    y, scores, amount = (np.array(column) for column in zip(*drawn, strict=True))
    costs = RowCosts(1.0, amount, 0.2, 0.3 * amount)
    p = 1 / (1 + np.exp(-scores))
    plus, minus, reject = costs.expected(p).T
    saved = reject - np.minimum(plus, minus)
    curve = metrics.cost_coverage_curve(y, minus - plus, costs, confidence=saved)
    for cost, threshold in zip(curve.value, curve.threshold, strict=True):
        called = np.where(saved >= threshold, np.where(minus > plus, 1, -1), 0)
        assert cost == pytest.approx(costs.of_decisions(y, called).mean())
    # At nothing saved, each row has the cheapest decision at its own prices.
    nearest = np.flatnonzero(curve.threshold > 0.0)[-1]
    cheapest = metrics.expected_cost(y, costs.decide(p), costs)
    assert curve.value[nearest] == pytest.approx(cheapest)


@pytest.mark.parametrize("price", [2.0, 7.0])
def test_prices_that_every_row_shares_give_the_curve_of_four_numbers(price):
    draw = np.random.default_rng(3)
    y, scores = np.where(draw.random(50) < 0.4, 1, -1), draw.normal(size=50).round(1)
    own = metrics.cost_coverage_curve(y, scores, RowCosts(1, np.full(50, price)))
    same = metrics.cost_coverage_curve(y, scores, CostMatrix(1, price))
    np.testing.assert_allclose(own.value, same.value)
    np.testing.assert_allclose(own.coverage, same.coverage)


@pytest.mark.parametrize("costs", [COSTS, CostMatrix(1, 5, 0.6, 0.3)], ids=str)
@given(
    st.lists(
        st.tuples(st.sampled_from([-1, 1]), st.integers(-5, 5)), min_size=1, max_size=30
    )
)
def test_the_cost_coverage_curve_is_that_of_the_cheapest_two_thresholds(costs, drawn):
    y, scores = unzip(drawn)
    curve = metrics.cost_coverage_curve(y, scores, costs)
    pairs = []
    for lower in range(-5, 7):
        for upper in range(lower, 7):
            called = np.where(scores >= upper, 1, np.where(scores < lower, -1, 0))
            mean = costs.of_decisions(y, called).mean()
            pairs.append(((called != 0).mean(), mean))
    coverage, cost = np.array(pairs).T
    # No two thresholds are cheaper, and at its points they cost just as much.
    assert (np.interp(coverage, curve.coverage, curve.value) <= cost + 1e-9).all()
    for at, value in zip(curve.coverage, curve.value, strict=True):
        same = np.abs(coverage - at) < 1e-9
        assert cost[same].min() == pytest.approx(value)
    assert curve.value.min() == pytest.approx(cost.min())
