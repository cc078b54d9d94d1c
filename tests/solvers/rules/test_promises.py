"""Bounded error and bounded cost: what is promised, and that it is kept."""

from math import sqrt

import numpy as np
import pytest
from draws import gaussian

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.metrics import expected_cost
from solvers.rules import BoundedCostRule, BoundedErrorRule, check_promise

BY = ["all", "decision", "label"]
COSTS = CostMatrix(1, 5, 0.5, 0.2)


def normal_classes(rng, n):
    y = np.where(rng.random(n) < 0.4, 1, -1)
    return y + rng.normal(size=n), y


def logistic_noise(rng, n):
    scores = rng.normal(size=n)
    return scores, np.where(rng.random(n) < 1 / (1 + np.exp(-3 * scores)), 1, -1)


def few_values(rng, n):
    # A tree with five leaves: every threshold meets ties.
    leaf = rng.integers(0, 5, n)
    share = np.array([0.03, 0.08, 0.5, 0.88, 0.95])
    return leaf.astype(float), np.where(rng.random(n) < share[leaf], 1, -1)


DRAWS = [normal_classes, logistic_noise, few_values]


def worst_error(y, decided, by):
    wrong = (decided != 0) & (decided != y)
    if by == "all":
        groups = [decided != 0]
    elif by == "decision":
        groups = [decided == 1, decided == -1]
    else:
        groups = [(decided != 0) & (y == 1), (decided != 0) & (y == -1)]
    return max((wrong[group].mean() if group.any() else 0.0) for group in groups)


def share_broken(draw, by, repeats, n=400, limit=0.1, confidence=0.9):
    """Return the share of draws whose rule is feasible and breaks its promise."""
    rng = np.random.default_rng(7)
    population = draw(rng, 300_000)
    broken = 0
    for _ in range(repeats):
        rule = BoundedErrorRule(limit, confidence=confidence, by=by)
        scores, y = draw(rng, n)
        rule.fit(scores, y)
        truth = worst_error(population[1], rule.decide(population[0]), by)
        # The population's own error is known to about 0.001.
        broken += rule.feasible_ and truth > limit + 0.002
    return broken / repeats


def allowed(confidence, repeats):
    miss = 1 - confidence
    return miss + 3 * sqrt(miss * (1 - miss) / repeats)


@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("by", BY)
def test_the_promise_is_kept_over_draws(draw, by):
    assert share_broken(draw, by, repeats=40) <= allowed(0.9, 40)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
@pytest.mark.parametrize("by", BY)
def test_the_promise_is_kept_over_2000_draws(draw, by):
    assert share_broken(draw, by, repeats=2000) <= allowed(0.9, 2000)


def test_the_cost_promise_is_kept_over_draws():
    rng = np.random.default_rng(1)
    population = normal_classes(rng, 200_000)
    broken = 0
    for _ in range(60):
        rule = BoundedCostRule(0.3, COSTS, confidence=0.9)
        rule.fit(*normal_classes(rng, 400))
        spent = expected_cost(population[1], rule.decide(population[0]), COSTS)
        broken += rule.feasible_ and spent > 0.3 + 0.002
    assert broken / 60 <= allowed(0.9, 60)


@pytest.mark.parametrize("by", BY)
def test_with_many_rows_the_limit_is_nearly_used_up(by):
    scores, y = gaussian(0, 20_000)
    rule = BoundedErrorRule(0.05, by=by).fit(scores, y)
    decided = rule.decide(scores)
    assert rule.feasible_
    assert 0.02 < worst_error(y, decided, by) < 0.055
    assert np.mean(decided != 0) > 0.4


def test_two_budgets_are_kept_apart_and_costs_choose_among_what_is_kept():
    scores, y = gaussian(1, 20_000)
    limits = {"+1": 0.04, "-1": 0.1}
    most = BoundedErrorRule(limits, by="decision").fit(scores, y)
    called = most.decide(scores)
    assert np.mean(y[called == 1] == -1) < 0.045
    assert 0.03 < np.mean(y[called == -1] == 1) < 0.105
    cheap = BoundedErrorRule(limits, by="decision", costs=COSTS).fit(scores, y)
    prices = [expected_cost(y, rule.decide(scores), COSTS) for rule in (cheap, most)]
    assert prices[0] <= prices[1]
    assert np.mean(cheap.decide(scores) != 0) <= np.mean(called != 0)


@pytest.mark.parametrize("by", BY)
def test_an_infeasible_demand_is_an_answer(by):
    scores, y = gaussian(2, 150, shift=0.4)
    rule = BoundedErrorRule(0.01, confidence=0.99, by=by).fit(scores, y)
    facts = rule.payload()
    assert not facts["feasible"]
    assert (rule.decide([-1e300, 0.0, 1e300]) == 0).all()
    assert facts["lower"] is facts["upper"] is None
    assert "not promised" in facts["promise"]
    smallest = facts["smallest_max_error"]
    assert 0.01 < smallest < 1
    # What is said to be possible is possible, and little less is not.
    at = BoundedErrorRule(smallest, confidence=0.99, by=by).fit(scores, y)
    assert at.feasible_
    below = BoundedErrorRule(0.9 * smallest, confidence=0.99, by=by).fit(scores, y)
    assert not below.feasible_


def rows_said(shift, n, limit, seeds):
    """Return the ranges of further rows that draws tell, None for silence."""
    said = []
    for seed in seeds:
        rule = BoundedErrorRule(limit).fit(*gaussian(seed, n, shift, share=0.5))
        if not rule.feasible_:
            said.append(rule.more_rows_)
            told = "more labelled rows" in rule.promise_
            assert told == (rule.more_rows_ is not None)
    return said


def enough(shift, limit, rows, draws=40):
    """Return in which share of draws so many rows make a promise."""
    return np.mean(
        [
            BoundedErrorRule(limit).fit(*gaussian(900 + k, rows, shift, 0.5)).feasible_
            for k in range(draws)
        ]
    )


@pytest.mark.parametrize(
    ("shift", "n", "limit"), [(1.0, 60, 0.05), (2.0, 100, 0.01), (0.8, 240, 0.05)]
)
def test_the_rows_that_are_said_to_be_missing_are_a_range_that_holds_or_silence(
    shift, n, limit
):
    said = [one for one in rows_said(shift, n, limit, range(12)) if one is not None]
    for low, high in said:
        assert 0 < low <= high
    if len(said) < 3:
        return
    # The upper end is mostly enough, the lower end mostly is not.
    low, high = (n + int(np.median(ends)) for ends in zip(*said, strict=True))
    assert enough(shift, limit, high, 16) >= 0.5
    assert enough(shift, limit, low, 16) <= 0.75


def test_nothing_is_said_of_more_rows_where_they_do_not_tell():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=500), np.where(rng.random(500) < 0.5, 1, -1)
    hopeless = BoundedErrorRule(0.01).fit(*noise)
    assert hopeless.more_rows_ is None
    assert "more" not in hopeless.promise_


def test_the_promise_says_what_how_sure_and_from_how_many():
    scores, y = gaussian(4, 4000)
    sentence = BoundedErrorRule(0.08, confidence=0.9).fit(scores, y).promise_
    for part in ("8 %", "90 %", "400 rows", "3600 others", "decided cases"):
        assert part in sentence
    groups = BoundedErrorRule(0.08, by="decision").fit(scores, y).payload()["counted"]
    assert set(groups["groups"]) == {"+1", "-1"}
    assert "called +1" in BoundedErrorRule(0.08, by="decision").fit(scores, y).promise_
    assert "true +1" in BoundedErrorRule(0.08, by="label").fit(scores, y).promise_


def test_a_promise_is_checked_on_new_rows():
    scores, y = gaussian(5, 5000)
    rule = BoundedErrorRule(0.06).fit(scores, y)
    facts = rule.payload()
    fresh, truth = gaussian(6, 20_000)
    good = check_promise(facts, truth, rule.decide(fresh))
    assert good["status"] == "holds"
    assert good["groups"]["all"]["interval"][1] <= 0.06
    shifted = check_promise(facts, truth, rule.decide(fresh + 2.0))
    assert shifted["status"] == "broken"
    assert check_promise(facts, truth[:5], rule.decide(fresh[:5]))["status"] == "open"
    none = BoundedErrorRule(0.001).fit(*gaussian(7, 100)).payload()
    assert check_promise(none, [1], [0])["status"] == "nothing promised"


def test_a_promise_is_checked_on_rows_whose_labels_are_probabilities():
    scores, y = gaussian(5, 5000)
    rule = BoundedErrorRule(0.06).fit(scores, y)
    fresh, truth = gaussian(6, 20_000)
    decided, facts = rule.decide(fresh), rule.payload()
    p = 1 / (1 + np.exp(-(2 * fresh + np.log(0.4 / 0.6))))  # what two normals have
    told = check_promise(facts, p, decided)
    error = np.where(decided > 0, 1 - p, p)[decided != 0].mean()
    assert told["status"] == "holds"
    assert told["groups"]["all"]["error"] == pytest.approx(error)
    assert told["groups"]["all"]["interval"][1] <= 0.06
    by_labels = check_promise(facts, truth, decided)["groups"]["all"]
    low, high = by_labels["interval"]
    assert low - 0.002 <= error <= high + 0.002
    assert check_promise(facts, 1 - p, decided)["status"] == "broken"
    assert check_promise(facts, p[:5], decided[:5])["status"] == "open"
    with pytest.raises(ValueError, match="probabilities"):
        check_promise(facts, [0.5, -1.0], [1, 1])


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"max_error": 0.0}, "max_error"),
        ({"max_error": 1.0}, "max_error"),
        ({"max_error": {"+1": 0.1, "-1": 0.1}}, "by='all'"),
        ({"max_error": {"+1": 0.1}, "by": "label"}, "max_error"),
        ({"max_error": 0.1, "by": "class"}, "by must be"),
        ({"max_error": 0.1, "confidence": 1.0}, "confidence"),
        ({"max_error": 0.1, "confidence": 0.0}, "confidence"),
    ],
)
def test_demands_that_are_none_are_refused(parameters, told):
    with pytest.raises(ValueError, match=told):
        BoundedErrorRule(**parameters).fit(*gaussian(0, 50))


def test_costs_outside_the_bound_are_refused():
    scores, y = gaussian(0, 500)
    with pytest.raises(InvalidCostsError, match="largest_cost"):
        BoundedCostRule(0.3, COSTS, largest_cost=2.0).fit(scores, y)
    with pytest.raises(ValueError, match="max_cost"):
        BoundedCostRule(0.0, COSTS).fit(scores, y)
    wide = BoundedCostRule(0.5, COSTS, largest_cost=20.0).fit(*gaussian(1, 20_000))
    tight = BoundedCostRule(0.5, COSTS).fit(*gaussian(1, 20_000))
    assert tight.feasible_
    assert tight.payload()["largest_cost"] == 5.0
    # A looser bound knows less about the mean and certifies no more.
    assert np.mean(wide.decide(scores) != 0) <= np.mean(tight.decide(scores) != 0)
    never = BoundedCostRule(0.001, COSTS).fit(scores, y)
    assert not never.feasible_
    assert "not promised" in never.payload()["promise"]
