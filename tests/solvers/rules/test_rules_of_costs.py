"""Rules whose thresholds follow from the costs alone."""

from math import log

import numpy as np
import pytest
from draws import cost_matrices
from hypothesis import given
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.rules import BartlettWegkampRule, ChowRule, EmbeddedRule, PlugInRule


def symmetric(r):
    return CostMatrix(1, 1, r, r)


@given(cost_matrices(), st.floats(0.1, 5.0))
def test_plug_in_decides_what_is_cheapest_at_the_probability_of_its_link(costs, slope):
    p = np.linspace(0.001, 0.999, 333)
    rule = PlugInRule(costs, slope=slope).fit()
    decision = rule.decide(np.log(p / (1 - p)) / slope)
    spent = costs.expected(p)
    chosen = spent[np.arange(len(p)), np.choose(decision + 1, [1, 2, 0])]
    assert np.allclose(chosen, spent.min(axis=1), atol=1e-9)


@given(cost_matrices())
def test_chow_decides_what_is_cheapest_at_the_probability(costs):
    p = np.linspace(0, 1, 333)
    decision = ChowRule(costs).fit(p).decide(p)
    spent = costs.expected(p)
    chosen = spent[np.arange(len(p)), np.choose(decision + 1, [1, 2, 0])]
    assert np.allclose(chosen, spent.min(axis=1), atol=1e-12)


def test_chow_with_a_reject_threshold_rejects_the_less_certain():
    rule = ChowRule(reject_threshold=0.4).fit()
    assert rule.lower_ == pytest.approx(0.4)
    assert rule.upper_ == pytest.approx(0.6)
    assert rule.decide([0.39, 0.5, 0.61]).tolist() == [-1, 0, 1]


@pytest.mark.parametrize("threshold", [0.0, 0.51, -1.0])
def test_chow_refuses_a_threshold_that_is_none(threshold):
    with pytest.raises(ValueError, match="reject_threshold"):
        ChowRule(reject_threshold=threshold).fit()


def test_chow_refuses_two_sources_and_scores_that_are_no_probabilities():
    with pytest.raises(ValueError, match="not both"):
        ChowRule(CostMatrix(), reject_threshold=0.3).fit()
    with pytest.raises(ValueError, match="probabilities"):
        ChowRule(CostMatrix()).fit([0.2, 1.5], [1, -1])


def test_the_two_rules_of_the_double_hinge_agree_near_a_reject_cost_of_024():
    gap = {
        r: PlugInRule(symmetric(r)).fit().upper_
        - BartlettWegkampRule(symmetric(r)).fit().upper_
        for r in (0.05, 0.2, 0.24, 0.3, 0.45)
    }
    assert abs(gap[0.24]) < 0.01
    # The plug-in rule rejects more where rejecting is cheap, and less elsewhere.
    assert gap[0.05] > 0.5
    assert gap[0.2] > 0.05
    assert gap[0.3] < -0.05
    assert gap[0.45] < -0.3


@given(st.floats(0.01, 0.49), st.floats(0.1, 10), st.floats(0, 1))
def test_bartlett_wegkamp_threshold_is_delta_in_its_own_scale(r, unit, delta):
    costs = CostMatrix(unit, unit, r * unit, r * unit)
    rule = BartlettWegkampRule(costs, delta=delta).fit()
    entropy = -r * log(r) - (1 - r) * log(1 - r)
    assert rule.upper_ == pytest.approx(delta * entropy / r)
    assert rule.lower_ == -rule.upper_


def test_bartlett_wegkamp_refuses_asymmetric_costs():
    with pytest.raises(InvalidCostsError, match="same costs for both"):
        BartlettWegkampRule(CostMatrix(1, 5, 0.5, 0.2)).fit()


@pytest.mark.parametrize("slope", [0.0, -1.0, np.inf, np.nan])
def test_plug_in_refuses_a_link_without_slope(slope):
    with pytest.raises(ValueError, match="slope"):
        PlugInRule(CostMatrix(), slope=slope).fit()


def test_embedded_follows_the_reject_function():
    rule = EmbeddedRule().fit()
    assert rule.decide([1.0, -1.0, 1.0], [1.0, 1.0, -1.0]).tolist() == [1, -1, 0]
