"""Spending: each row at its own prices; equal prices give the figures of the table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers import CostMatrix, RowCosts, metrics
from solvers.metrics.intervals import Units
from solvers.metrics.spending import Spending

CALLED = {"+1": 1, "-1": -1, "reject": 0}


@st.composite
def decided(draw):
    """Labels, decisions, weights and groups of rows, and their prices."""
    n = draw(st.integers(2, 40))
    seed = draw(st.integers(0, 2**16))
    made = np.random.default_rng(seed)
    prices = made.lognormal(0.0, 1.5, (4, n))
    y, called = made.choice([-1, 1], n), made.choice([-1, 0, 1], n)
    weight = made.uniform(0.5, 2.0, n) if draw(st.booleans()) else np.ones(n)
    groups = made.integers(0, 5, n) if draw(st.booleans()) else None
    return y, called, RowCosts(*prices), weight, groups


@settings(deadline=None)
@given(decided())
def test_figures_are_those_of_the_costs_of_each_decision(drawn):
    y, called, costs, weight, groups = drawn
    found = Spending.of_rows((y + 1) / 2, called, costs, weight, groups)
    spent = weight * costs.of_decisions(y, called)
    mean = found.expected_cost()
    assert mean.value == pytest.approx(spent.sum() / weight.sum())
    assert mean.value == pytest.approx(metrics.expected_cost(y, called, costs, weight))
    assert mean.low <= mean.value <= mean.high
    assert found.table.sum() == pytest.approx(spent.sum())
    for i, sign in enumerate((1, -1)):
        for j, code in enumerate(CALLED.values()):
            cell = (y == sign) & (called == code)
            assert found.table[i, j] == pytest.approx(spent[cell].sum())
    against = found.against_constants()
    for name, code in CALLED.items():
        alike = weight * costs.of_decisions(y, np.full(len(y), code))
        assert found.constants()[name] == pytest.approx(alike.sum() / weight.sum())
        more = (spent - alike).sum() / weight.sum()
        assert against[name].value == pytest.approx(more, abs=1e-12)
        assert against[name].low <= against[name].value <= against[name].high


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**16), st.booleans())
def test_equal_prices_have_the_limits_of_the_table(seed, grouped):
    """Where every decision is taken, and so every cell could be the unseen row's."""
    draw, n = np.random.default_rng(seed), 60
    y, called = draw.choice([-1, 1], n), np.arange(n) % 3 - 1
    groups = draw.integers(0, 12, n) if grouped else None
    costs = CostMatrix(1.0, 5.0, 0.6, 0.3)
    own = RowCosts(np.full(n, 1.0), 5.0, 0.6, 0.3)
    share, weight = (y + 1) / 2, np.ones(n)
    units = Units.of_rows(share, called, weight, groups)
    found = Spending.of_rows(share, called, own, weight, groups)
    wanted = units.intervals(costs)["expected_cost"]
    assert found.expected_cost() == pytest.approx(wanted, rel=1e-4)
    wanted = units.against_constants(costs)
    for name, interval in found.against_constants().items():
        assert interval == pytest.approx(wanted[name], rel=1e-3, abs=1e-9)


def test_a_doubtful_row_costs_what_either_truth_does_by_its_probability():
    costs = RowCosts([2.0, 7.0], [10.0, 30.0], 1.0, 3.0)
    found = Spending.of_rows(np.array([0.25, 0.5]), [1, 0], costs, np.array([1.0, 3.0]))
    spent = [0.75 * 2.0, 0.5 * 1.0 + 0.5 * 3.0]
    assert found.expected_cost().value == pytest.approx((spent[0] + 3 * spent[1]) / 4)


def test_the_interval_holds_the_mean_as_often_as_it_says():
    """Amounts that are log-normal, decided at their own prices: 19 draws of 20."""
    draw, held, times, n = np.random.default_rng(0), 0, 200, 150

    def spending(n):
        amount, p = draw.lognormal(3.0, 1.0, n), draw.beta(0.6, 2.0, n)
        costs = RowCosts(20.0, 0.8 * amount, 4.0, 4.0)
        y = np.where(draw.random(n) < p, 1, -1)
        called = costs.decide(p)
        return Spending.of_rows((y + 1) / 2, called, costs, np.ones(n))

    taken = spending(400_000).table.sum() / 400_000
    for _ in range(times):
        interval = spending(n).expected_cost()
        held += interval.low <= taken <= interval.high
    assert held >= 0.95 * times - 2.6 * np.sqrt(times * 0.95 * 0.05)
