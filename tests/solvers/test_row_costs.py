"""RowCosts: each row is decided and counted as a CostMatrix of its own prices says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CostMatrix, DoubleHingeSVC, RowCosts, metrics, rules
from solvers.errors import InvalidCostsError
from solvers.losses import DoubleHinge

PRICES = st.floats(1e-3, 1e3)
ROWS = st.lists(st.tuples(*[PRICES] * 4, st.floats(0, 1)), min_size=1, max_size=20)


def columns(rows):
    *prices, p = np.array(rows).T
    return RowCosts(*prices), p


@given(ROWS)
def test_no_other_decision_is_cheaper_and_a_tie_rejects(rows):
    costs, p = columns(rows)
    for called, (plus, minus, reject) in zip(
        costs.decide(p), costs.expected(p), strict=True
    ):
        taken = {1: plus, -1: minus, 0: reject}[int(called)]
        assert taken == min(plus, minus, reject)
        assert called == 0 or taken < reject


@given(ROWS)
def test_a_row_is_decided_as_by_chows_rule_at_its_prices(rows):
    costs, p = columns(rows)
    for i, called in enumerate(costs.decide(p)):
        try:
            own = CostMatrix(*rows[i][:4])
        except InvalidCostsError:
            assert called != 0 or min(costs.expected(p)[i]) == costs.expected(p)[i, 2]
            continue
        edges = np.array([own.p_minus, own.p_plus])
        if np.abs(p[i] - edges).min() > 1e-9:
            assert called == rules.ChowRule(own).fit().decide([p[i]])[0]


@given(ROWS, st.data())
def test_the_mean_cost_is_that_of_the_rows(rows, data):
    costs, _ = columns(rows)
    n = len(rows)
    y = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    called = np.array(
        data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n, max_size=n))
    )
    weight = np.arange(1.0, n + 1)
    table = {1: ("false_negative", "reject_positive"), -1: ("", "reject_negative")}
    spent = []
    for i in range(n):
        if called[i] == 0:
            spent.append(getattr(costs, table[y[i]][1])[i])
        elif called[i] == y[i]:
            spent.append(0.0)
        else:
            name = "false_negative" if y[i] > 0 else "false_positive"
            spent.append(getattr(costs, name)[i])
    found = metrics.expected_cost(y, called, costs, weight)
    assert found == pytest.approx(np.average(spent, weights=weight))
    np.testing.assert_allclose(costs.of_decisions(y, called), spent)


def test_a_number_is_the_price_of_every_row():
    amounts = np.array([10.0, 10_000.0])
    costs = RowCosts(20, 0.8 * amounts, 5, reject_negative=[5, 5])
    np.testing.assert_array_equal(costs.false_positive, [20, 20])
    assert len(costs) == 2
    np.testing.assert_array_equal(costs.decide([0.1, 0.1]), [-1, 0])
    amounts[:] = 1.0  # what the costs are was said before
    np.testing.assert_array_equal(costs.false_negative, [8, 8000])


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, True, "one"])
def test_a_price_that_is_none_is_named_by_its_row(bad):
    column = [1.0, 1.0, bad]
    row = "in row 2 " if isinstance(bad, float) else ""
    if bad is True or bad == "one":
        column = [bad] * 3
    with pytest.raises(InvalidCostsError, match=f"false_negative must be.*{row}"):
        RowCosts(1.0, column)


def test_columns_of_prices_fit_each_other_and_the_rows():
    with pytest.raises(InvalidCostsError, match="false_positive 2, false_negative 3"):
        RowCosts([1, 1], [1, 1, 1])
    with pytest.raises(InvalidCostsError, match="CostMatrix takes four numbers"):
        RowCosts(1, 1)
    costs = RowCosts(1, [1, 2])
    with pytest.raises(ValueError, match="2 numbers"):
        costs.decide([0.5])
    with pytest.raises(ValueError, match="2 numbers"):
        costs.decide([0.5, np.nan])
    with pytest.raises(ValueError, match="false_negative must be one price, or 3"):
        metrics.expected_cost([1, -1, 1], [1, 0, -1], costs)


def test_who_takes_four_prices_names_who_takes_columns():
    with pytest.raises(InvalidCostsError, match="RowCosts takes one a row"):
        CostMatrix(false_negative=np.ones(3))
    with pytest.raises(InvalidCostsError, match=r"RowCosts\.decide"):
        rules.ExpectedCostRule(RowCosts(1, [1, 2])).fit([0.1, 0.9], [-1, 1])
    with pytest.raises(ValueError, match="expected_cost takes them"):
        metrics.decision_intervals([1, -1], [1, 0], RowCosts(1, [1, 2]))


@given(ROWS, st.sampled_from([0.25, 1.0, 3.0]))
def test_the_double_hinge_of_a_row_is_that_of_its_own_prices(rows, odds):
    costs, _ = columns(rows)
    y = np.resize([1, -1], len(rows))
    made = DoubleHinge(costs.at_odds(odds)).rows(y)
    z = np.linspace(-8.0, 8.0, len(rows))
    for i, prices in enumerate(rows):
        try:
            own = CostMatrix(*prices[:4]).at_odds(odds)
        except InvalidCostsError:
            fp, fn = prices[0], prices[1] / odds
            # Rejecting never pays: one tangent, where +1 and -1 cost the same.
            p = fp / (fp + fn)
            entropy = -p * np.log(p) - (1 - p) * np.log1p(-p)
            slope = -(1 - p) if y[i] > 0 else p
            wanted = max(slope * z[i] + entropy, 0.0)
        else:
            wanted = DoubleHinge(own).rows(y[[i]]).value(z[[i]])[0]
        assert made.value(z)[i] == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_a_mirrored_double_hinge_is_that_of_the_mirrored_rows():
    costs = RowCosts(20.0, [5.0, 900.0, 40.0], 4.0, [3.0, 4.0, 5.0])
    y, z = np.array([1, -1, 1]), np.array([0.5, -2.0, 3.0])
    made = DoubleHinge(costs)
    np.testing.assert_allclose(
        made.mirrored().rows(-y).value(-z), made.rows(y).value(z)
    )


def test_prices_at_which_a_threshold_has_no_value_still_have_their_tangent():
    """Where a reject never pays, a threshold may be a number over 0."""
    costs = RowCosts(2.0, [1.0, 2.0], 3.0, [2.0, 2.0])
    np.testing.assert_allclose(costs.thresholds_in_p, [[2 / 3] * 2, [0.5] * 2])


class TestMachine:
    """A double-hinge machine that learns at each row's own prices."""

    @staticmethod
    def drawn(n=120):
        draw = np.random.default_rng(4)
        X = draw.normal(size=(n, 3))
        y = np.where(X[:, 0] + draw.normal(size=n) > 0, 1, -1)
        return X, y, RowCosts(20.0, draw.lognormal(2, 1.5, n), 4.0, 4.0)

    def test_equal_prices_give_the_machine_of_four_numbers(self):
        X, y, _ = self.drawn()
        own = RowCosts(1.0, np.full(len(y), 5.0), 0.6, 0.3)
        one = DoubleHingeSVC(CostMatrix(1.0, 5.0, 0.6, 0.3), tol=1e-6).fit(X, y)
        same = DoubleHingeSVC(tol=1e-6).fit(X, y, costs=own)
        np.testing.assert_allclose(
            same.decision_function(X), one.decision_function(X), atol=1e-9
        )

    def test_the_certificate_is_that_of_the_rows_losses(self):
        X, y, costs = self.drawn()
        machine = DoubleHingeSVC(kernel="linear", tol=1e-9).fit(X, y, costs=costs)
        assert machine.duality_gap_ <= 1e-6
        losses = DoubleHinge(costs).rows(y)

        def objective(w, b):
            return w @ w / 2 + losses.value(X @ w + b).sum()

        w = machine.dual_coef_[0] @ machine.support_vectors_
        b = machine.intercept_[0]
        least = objective(w, b)
        for step in np.random.default_rng(0).normal(size=(200, 4)) * 0.01:
            assert least <= objective(w + step[:3], b + step[3]) + 1e-6

    def test_weight_2_is_the_row_twice_and_0_no_row(self):
        X, y, costs = self.drawn()
        weight = np.resize([0.0, 1.0, 2.0], len(y))
        rows = np.repeat(np.arange(len(y)), weight.astype(int))
        options = {"gamma": 0.3, "tol": 1e-8}
        weighted = DoubleHingeSVC(**options).fit(X, y, weight, costs=costs)
        twice = DoubleHingeSVC(**options).fit(X[rows], y[rows], costs=costs.take(rows))
        np.testing.assert_allclose(
            weighted.decision_function(X), twice.decision_function(X), atol=1e-5
        )

    def test_prices_of_other_rows_are_refused(self):
        X, y, costs = self.drawn()
        with pytest.raises(ValueError, match="costs are of 120 rows, X has 119"):
            DoubleHingeSVC().fit(X[1:], y[1:], costs=costs)
