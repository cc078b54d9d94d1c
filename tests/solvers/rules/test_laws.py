"""What holds for every rule that is fitted on scores."""

from itertools import pairwise

import numpy as np
import pytest
from draws import cost_matrices, gaussian, labelled_scores
from hypothesis import given
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError, InvalidCostsError, UnknownNameError
from solvers.metrics import expected_cost, reject_rate, selective_error
from solvers.rules import (
    RULES,
    Band,
    BoundedAbstentionRule,
    BoundedErrorRule,
    ExpectedCostRule,
    MutualInformationRule,
    SymmetricRule,
    make_rule,
)
from solvers.rules.base import RejectRule, UnfittedRuleError

NEEDED = {
    "bounded-abstention": {"max_reject_rate": 0.2},
    "bounded-error": {"max_error": 0.2},
    "bounded-cost": {"max_cost": 0.3},
}
LEARNING = [kind for kind, rule in RULES.items() if rule.learns]


def fitted(kind, seed=0, n=400):
    scores, y = gaussian(seed, n, shift=1.5)
    if RULES[kind].on == "probability":
        scores = 1 / (1 + np.exp(-scores))
    return make_rule(kind, **NEEDED.get(kind, {})).fit(scores, y), scores, y


@given(labelled_scores(), cost_matrices(), st.floats(1.01, 5.0), st.booleans())
def test_a_higher_reject_cost_never_rejects_more(drawn, costs, factor, which):
    scores, y = drawn
    raised = {"reject_positive": costs.reject_positive}
    if which:
        raised = {"reject_negative": costs.reject_negative}
    name, price = next(iter(raised.items()))
    others = {
        "false_positive": costs.false_positive,
        "false_negative": costs.false_negative,
        "reject_positive": costs.reject_positive,
        "reject_negative": costs.reject_negative,
    }
    try:
        dearer = CostMatrix(**{**others, name: price * factor})
    except InvalidCostsError:
        return
    for rule in (ExpectedCostRule, SymmetricRule):
        before = rule(costs).fit(scores, y).decide(scores) == 0
        after = rule(dearer).fit(scores, y).decide(scores) == 0
        assert not np.any(after & ~before)


@given(labelled_scores(), cost_matrices())
def test_no_rejection_and_rejecting_all_are_among_the_candidates(drawn, costs):
    scores, y = drawn
    none = costs.of_decisions(y, np.where(scores >= 0, 1, -1)).mean()
    everything = costs.of_decisions(y, np.zeros(len(y))).mean()
    for rule in (ExpectedCostRule, SymmetricRule):
        spent = expected_cost(y, rule(costs).fit(scores, y).decide(scores), costs)
        assert spent <= min(none, everything) + 1e-9


def test_nothing_is_rejected_where_the_classes_are_separable():
    scores, y = gaussian(0, 300)
    scores = np.abs(scores) * y + 0.01 * y
    cheap = CostMatrix(1, 1, 0.001, 0.001)
    exact = MutualInformationRule("exact")
    for rule in (SymmetricRule(cheap), ExpectedCostRule(cheap), exact):
        assert reject_rate(rule.fit(scores, y).decide(scores)) == 0.0


# The symmetric rule's zero is fixed.
@pytest.mark.parametrize("kind", [kind for kind in LEARNING if kind != "symmetric"])
def test_moving_and_stretching_the_scores_moves_the_thresholds(kind):
    rule, scores, y = fitted(kind)
    # A bounded error believes a little in the scorer's zero.
    other = 4.0 * scores + (0.0 if kind == "bounded-error" else 8.0)
    moved = make_rule(kind, **NEEDED.get(kind, {})).fit(other, y)
    assert np.mean(moved.decide(other) != rule.decide(scores)) < 0.005


@pytest.mark.parametrize(
    "rule",
    [
        ExpectedCostRule(),
        ExpectedCostRule(method="newton"),
        MutualInformationRule("exact"),
        MutualInformationRule("newton"),
        SymmetricRule(),
        BoundedAbstentionRule(0.25),
    ],
    ids=repr,
)
def test_the_order_of_the_rows_does_not_matter_and_weight_two_is_a_row_twice(rule):
    scores, y = gaussian(5, 200)
    order = np.random.default_rng(0).permutation(200)
    here = rule.fit(scores, y).fitted
    there = rule.fit(scores[order], y[order]).fitted
    assert (there.lower, there.upper) == pytest.approx((here.lower, here.upper))
    twice = np.random.default_rng(1).integers(1, 3, 200)
    weighted = rule.fit(scores, y, twice).fitted
    repeated = rule.fit(np.repeat(scores, twice), np.repeat(y, twice)).fitted
    # Smoothed rules count how many rows there are, for the width of the window.
    near = 0.1 if getattr(rule, "method", "") == "newton" else 1e-9
    assert (weighted.lower, weighted.upper) == pytest.approx(
        (repeated.lower, repeated.upper), abs=near
    )


def test_rejecting_more_never_raises_the_error_where_classes_are_separable():
    rng = np.random.default_rng(2)
    y = np.where(rng.random(400) < 0.5, 1, -1)
    # A gap between the classes, and a scorer whose zero is off by one.
    scores = y * (2.0 + rng.random(400)) + 1.0
    errors = []
    for share in np.linspace(0, 0.9, 10):
        decided = BoundedAbstentionRule(float(share)).fit(scores, y).decide(scores)
        errors.append(selective_error(y, decided))
    widths = [Band(-t, t, closed=True).decide(scores - 1.0) for t in (0, 1, 2, 2.5)]
    errors_of_width = [selective_error(y, decided) for decided in widths]
    assert all(b <= a for a, b in pairwise(errors))
    assert all(b <= a for a, b in pairwise(errors_of_width))
    assert errors[0] == 0.0


@pytest.mark.parametrize("kind", list(RULES))
def test_every_rule_is_registered_described_and_served(kind):
    rule = make_rule(kind, **NEEDED.get(kind, {}))
    assert isinstance(rule, RejectRule)
    assert rule.kind == kind
    names = [described.name for described in rule.parameters()]
    assert names == list(rule.get_params())
    with pytest.raises(UnfittedRuleError, match="call fit first"):
        _ = rule.lower_
    done, scores, _ = fitted(kind)
    facts = done.payload()
    band = Band.from_payload(facts)
    assert facts["kind"] == kind
    if band.on == "score":
        assert np.array_equal(band.decide(scores), done.decide(scores))
    assert type(done).__doc__


@pytest.mark.parametrize("kind", LEARNING)
@pytest.mark.parametrize(
    ("scores", "y", "error", "told"),
    [
        ([0.0, 1.0], [0, 1], ValueError, "-1 and .1 only, got"),
        ([0.0, 1.0], [True, False], ValueError, "-1 and .1 only"),
        ([0.0, 1.0, 2.0], [2, 1, -1], ValueError, "-1 and .1 only"),
        ([0.0, 1.0], ["a", "b"], ValueError, "-1 and .1 only"),
        ([0.0, np.nan], [-1, 1], ValueError, "finite"),
        ([0.0, np.inf], [-1, 1], ValueError, "finite"),
        ([[0.0, 1.0]], [-1, 1], ValueError, "shape"),
        ([0.0, 1.0], [-1], ValueError, "shape"),
        ([0.0, 1.0], [1, 1], InfeasibleRuleError, "none of the 2 rows is -1"),
        ([0.0, 1.0], [-1, -1], InfeasibleRuleError, "none of the 2 rows is .1"),
        ([], [], InfeasibleRuleError, "none of the 0 rows"),
    ],
)
def test_input_that_no_rule_can_use_is_refused_clearly(kind, scores, y, error, told):
    rule = make_rule(kind, **NEEDED.get(kind, {}))
    with pytest.raises(error, match=told):
        rule.fit(scores, y)


@pytest.mark.parametrize("weights", [[1.0], [-1.0, 1.0], [np.nan, 1.0]])
def test_weights_that_are_none_are_refused(weights):
    with pytest.raises(ValueError, match="sample_weight"):
        ExpectedCostRule().fit([0.0, 1.0], [-1, 1], weights)


@pytest.mark.parametrize("kind", ["bounded-error", "bounded-cost"])
def test_rules_that_promise_take_no_weights(kind):
    with pytest.raises(ValueError, match="no sample_weight"):
        make_rule(kind, **NEEDED[kind]).fit([0.0, 1.0], [-1, 1], [1.0, 1.0])
    assert BoundedErrorRule.promises


def test_a_class_without_weight_is_absent():
    with pytest.raises(InfeasibleRuleError, match="is -1"):
        ExpectedCostRule().fit([0.0, 1.0], [-1, 1], [0.0, 1.0])


def test_unknown_names_are_told_with_the_known_ones():
    with pytest.raises(UnknownNameError, match="expected-cost"):
        make_rule("cheapest")
    with pytest.raises(UnknownNameError, match="newton"):
        MutualInformationRule("powell").fit([0.0, 1.0], [-1, 1])
    with pytest.raises(UnknownNameError, match="roc"):
        ExpectedCostRule(method="grid").fit([0.0, 1.0], [-1, 1])
    with pytest.raises(TypeError, match="already made"):
        make_rule(SymmetricRule(), costs=None)
    with pytest.raises(TypeError, match="a rule is"):
        make_rule(SymmetricRule)
    with pytest.raises(ValueError, match="no parameter 'width'"):
        SymmetricRule().set_params(width=1)
    with pytest.raises(TypeError, match="costs must be"):
        SymmetricRule(costs=3).fit([0.0, 1.0], [-1, 1])
