"""CostMatrix: conditions (1) and (2), and the decision that is cheapest at each p."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CostMatrix
from solvers.errors import InvalidCostsError

PRICES = st.floats(1e-3, 1e3)
NAMES = ("false_positive", "false_negative", "reject_positive", "reject_negative")


@st.composite
def cost_matrices(draw: st.DrawFn) -> CostMatrix:
    fp, fn = draw(PRICES), draw(PRICES)
    # Condition (2) says that the two shares rp / fn and rn / fp sum to less than 1.
    total = draw(st.floats(1e-3, 0.999))
    split = draw(st.floats(1e-3, 0.999))
    return CostMatrix(fp, fn, total * split * fn, total * (1 - split) * fp)


@given(cost_matrices(), st.floats(0, 1))
def test_the_cheapest_decision_changes_exactly_at_the_two_probabilities(
    costs: CostMatrix, p: float
) -> None:
    assert 0 < costs.p_minus < costs.p_plus < 1
    plus, minus, reject = costs.expected(p)
    # Rounding decides within a few ulps of a threshold: keep away from them.
    near = 1e-9
    if p > costs.p_plus + near:
        assert plus < min(minus, reject)
    elif p < costs.p_minus - near:
        assert minus < min(plus, reject)
    elif costs.p_minus + near < p < costs.p_plus - near:
        assert reject < min(plus, minus)


@given(cost_matrices())
def test_swapping_the_classes_reflects_the_probabilities(costs: CostMatrix) -> None:
    swapped = CostMatrix(
        false_positive=costs.false_negative,
        false_negative=costs.false_positive,
        reject_positive=costs.reject_negative,
        reject_negative=costs.reject_positive,
    )
    assert swapped.p_plus == pytest.approx(1 - costs.p_minus, rel=1e-9)
    assert swapped.p_minus == pytest.approx(1 - costs.p_plus, rel=1e-9)


@given(cost_matrices(), st.floats(1e-2, 1e2))
def test_the_currency_does_not_matter(costs: CostMatrix, rate: float) -> None:
    other = CostMatrix(**{name: rate * getattr(costs, name) for name in NAMES})
    assert other.p_minus == pytest.approx(costs.p_minus, rel=1e-9)
    assert other.p_plus == pytest.approx(costs.p_plus, rel=1e-9)


@given(cost_matrices())
def test_thresholds_are_the_log_odds_of_the_probabilities(costs: CostMatrix) -> None:
    for f, p in zip(costs.thresholds, (costs.p_minus, costs.p_plus), strict=True):
        assert 1 / (1 + math.exp(-f)) == pytest.approx(p, rel=1e-9)


def test_symmetric_costs_reject_between_r_and_one_minus_r() -> None:
    costs = CostMatrix(reject_positive=0.2, reject_negative=0.2)
    assert costs.p_minus == pytest.approx(0.2)
    assert costs.p_plus == pytest.approx(0.8)
    assert costs.is_symmetric


def test_each_cell_of_the_table_has_its_price() -> None:
    costs = CostMatrix(1.0, 5.0, 0.6, 0.3)
    y = [1, 1, 1, -1, -1, -1]
    decisions = [1, 0, -1, 1, 0, -1]
    assert costs.of_decisions(y, decisions).tolist() == [0, 0.6, 5.0, 1.0, 0.3, 0]


@given(cost_matrices(), st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=50))
def test_the_mean_price_of_one_decision_is_its_expected_cost(
    costs: CostMatrix, y: list[int]
) -> None:
    p = float(np.mean(np.asarray(y) == 1))
    paid = [costs.of_decisions(y, [d] * len(y)).mean() for d in (1, -1, 0)]
    np.testing.assert_allclose(paid, costs.expected(p), rtol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "value", [0, -1.0, math.nan, math.inf, 1e101, 1e-101, "1", None, True]
)
def test_a_price_that_is_no_positive_number_is_refused_by_name(
    name: str, value: Any
) -> None:
    with pytest.raises(InvalidCostsError, match=name):
        CostMatrix(**{name: value})


def test_a_rejection_that_never_pays_is_refused_with_both_sides() -> None:
    with pytest.raises(InvalidCostsError, match=r"1 >= 1.*lower the reject costs"):
        CostMatrix(reject_positive=0.5, reject_negative=0.5)


def test_integers_become_floats_and_the_value_travels_between_processes() -> None:
    costs = CostMatrix(1, 5, 1, np.float32(0.5))
    assert all(type(getattr(costs, name)) is float for name in NAMES)
    assert pickle.loads(pickle.dumps(costs)) == costs


@given(cost_matrices())
def test_costs_are_symmetric_where_exchanging_the_classes_changes_none(
    costs: CostMatrix,
) -> None:
    swapped = CostMatrix(
        costs.false_negative,
        costs.false_positive,
        costs.reject_negative,
        costs.reject_positive,
    )
    assert costs.is_symmetric == (costs == swapped)
    one, reject = costs.false_positive, 0.4 * costs.false_positive
    assert CostMatrix(one, one, reject, reject).is_symmetric
    assert not CostMatrix(one, one, reject, 0.5 * reject).is_symmetric
    assert not CostMatrix(one, 2 * one, reject, reject).is_symmetric
