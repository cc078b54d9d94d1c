"""Fitted rules at other costs, and rows that stand for another prevalence."""

import json
import subprocess
import sys

import numpy as np
import pytest
from draws import cost_matrices, gaussian, labelled_scores
from hypothesis import given

from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError
from solvers.metrics import expected_cost
from solvers.rules import (
    BoundedAbstentionRule,
    ChowRule,
    ExpectedCostRule,
    PlugInRule,
    band_at_costs,
    prevalence_weights,
)


def as_served(rule):
    return json.loads(json.dumps(rule.payload(), allow_nan=False))


@given(labelled_scores(), cost_matrices(), cost_matrices())
def test_the_served_hull_gives_the_cheapest_band_at_any_costs(drawn, old, new):
    scores, y = drawn
    facts = as_served(ExpectedCostRule(old).fit(scores, y))
    fresh = ExpectedCostRule(new).fit(scores, y)
    band = band_at_costs(facts, new)
    spent = [expected_cost(y, b.decide(scores), new) for b in (band, fresh)]
    assert spent[0] == pytest.approx(spent[1], abs=1e-9)


def test_links_follow_the_costs_where_they_are_the_scorers_own():
    new = CostMatrix(1, 5, 0.5, 0.2)
    for rule in (ChowRule(CostMatrix()), ChowRule(reject_threshold=0.3)):
        chow = band_at_costs(as_served(rule.fit()), new)
        assert (chow.lower, chow.upper) == (new.p_minus, new.p_plus)
        assert chow.on == "probability"
    facts = as_served(PlugInRule(CostMatrix(), slope=2.0).fit())
    band = band_at_costs(facts, new, own_link=True)
    fresh = PlugInRule(new, slope=2.0).fit()
    assert (band.lower, band.upper) == (fresh.lower_, fresh.upper_)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (PlugInRule(CostMatrix()), "only near those of the costs"),
        (BoundedAbstentionRule(0.1), "bounded-abstention"),
        (ExpectedCostRule(method="newton"), "expected-cost"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_rules_that_cannot_follow_say_why(rule, told):
    scores, y = gaussian(0, 200)
    if rule.on == "probability":
        scores = 1 / (1 + np.exp(-scores))
    facts = as_served(rule.fit(scores, y))
    with pytest.raises(InfeasibleRuleError, match=told):
        band_at_costs(facts, CostMatrix(1, 5, 0.5, 0.2))


def test_weighted_rows_stand_for_another_prevalence():
    scores, y = gaussian(1, 60_000, share=0.5)
    rng = np.random.default_rng(0)
    rare = rng.random(60_000) < np.where(y == 1, 0.04, 1.0)
    share = float(np.mean(y[rare] == 1))
    costs = CostMatrix(1, 10, 0.5, 0.3)
    weighted = ExpectedCostRule(costs, method="newton").fit(
        scores, y, prevalence_weights(y, share)
    )
    real = ExpectedCostRule(costs, method="newton").fit(scores[rare], y[rare])
    assert weighted.lower_ == pytest.approx(real.lower_, abs=0.15)
    assert weighted.upper_ == pytest.approx(real.upper_, abs=0.15)
    plain = ExpectedCostRule(costs, method="newton").fit(scores, y)
    assert weighted.upper_ > plain.upper_ + 0.5


@given(labelled_scores())
def test_the_weights_give_the_share_that_was_asked_for(drawn):
    _, y = drawn
    given_weights = 1.0 + np.arange(len(y)) % 3
    weights = prevalence_weights(y, 0.02, given_weights)
    assert np.average(y == 1, weights=weights) == pytest.approx(0.02)
    assert weights.sum() == pytest.approx(given_weights.sum())


@pytest.mark.parametrize("prevalence", [0.0, 1.0, -1.0, np.nan])
def test_a_prevalence_that_is_none_is_refused(prevalence):
    with pytest.raises(ValueError, match="prevalence"):
        prevalence_weights([-1, 1], prevalence)


def test_one_class_has_no_prevalence_to_correct():
    with pytest.raises(InfeasibleRuleError, match="absent"):
        prevalence_weights([1, 1], 0.5)


def test_deciding_loads_neither_scipy_nor_scikit_learn_nor_numba():
    code = (
        "import sys, solvers.rules.registry, solvers.rules.repricing,"
        " solvers.rules.promise, solvers.calibration, solvers.metrics;"
        "from solvers.rules import Band;"
        "Band(-1.0, 1.0).decide([0.0]);"
        "solvers.calibration.Calibration.link(1.0).probability([0.0]);"
        "loaded = {'scipy', 'sklearn', 'numba', 'matplotlib'} & set(sys.modules);"
        "sys.exit(str(loaded) if loaded else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
