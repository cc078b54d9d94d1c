"""Promises on rows that come in groups, and on rows whose labels are probabilities."""

from math import sqrt

import numpy as np
import pytest

from solvers.costs import CostMatrix
from solvers.errors import InfeasibleRuleError
from solvers.rules import (
    BoundedAbstentionRule,
    BoundedCostRule,
    BoundedErrorRule,
    check_promise,
)
from solvers.rules.promise import check_cost_promise

COSTS = CostMatrix(1, 5, 0.5, 0.2)


def clustered(rng, groups, size, effect=1.5):
    """Rows of a group share an effect that the scorer does not see."""
    scores = rng.normal(size=groups * size) * 2.0
    common = np.repeat(rng.normal(size=groups), size) * effect
    p = 1 / (1 + np.exp(-2.0 * scores - common))
    y = np.where(rng.random(len(p)) < p, 1, -1)
    return scores, y, np.repeat(np.arange(groups), size)


def doubtful(rng, n):
    """Rows with the probability of +1 instead of a label."""
    scores = rng.normal(size=n) * 2.0
    return scores, 1 / (1 + np.exp(-2.0 * scores - rng.normal(size=n)))


def error_of(rule, scores, positive):
    decided = rule.decide(scores)
    wrong = np.where(decided == 1, 1 - positive, np.where(decided == -1, positive, 0))
    return wrong.sum() / max(np.count_nonzero(decided), 1)


def share_broken(size, repeats, limit=0.1, confidence=0.9, by="all"):
    rng = np.random.default_rng(size)
    truth = clustered(rng, 300_000 // size, size)
    positive = (truth[1] > 0) * 1.0
    broken = promised = 0
    for _ in range(repeats):
        scores, y, groups = clustered(rng, 300, size)
        rule = BoundedErrorRule(limit, confidence=confidence, by=by)
        rule.fit(scores, y, groups=groups)
        promised += rule.feasible_
        broken += rule.feasible_ and error_of(rule, truth[0], positive) > limit + 0.002
    assert promised
    return broken / repeats


def allowed(miss, repeats):
    return miss + 3 * sqrt(miss * (1 - miss) / repeats)


@pytest.mark.parametrize("size", [3, 10])
def test_the_promise_on_groups_is_kept(size):
    assert share_broken(size, 40) <= allowed(0.1, 40)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("size", [3, 10])
def test_the_promise_on_groups_is_kept_over_400_draws(size):
    assert share_broken(size, 400) <= allowed(0.1, 400)


def test_rows_that_hang_together_break_it_where_nobody_says_so():
    rng = np.random.default_rng(1)
    truth = clustered(rng, 30_000, 10, 3.0)
    positive = (truth[1] > 0) * 1.0
    broken = np.zeros(2)
    for _ in range(30):
        scores, y, groups = clustered(rng, 30, 10, 3.0)
        for k, said in enumerate((None, groups)):
            rule = BoundedErrorRule(0.1, confidence=0.9).fit(scores, y, groups=said)
            error = error_of(rule, truth[0], positive)
            broken[k] += rule.feasible_ and error > 0.102
    unsaid, said = broken / 30
    assert said <= 0.1 < unsaid


def test_the_promise_says_that_it_counted_groups():
    scores, y, groups = clustered(np.random.default_rng(0), 1000, 4)
    rule = BoundedErrorRule(0.15).fit(scores, y, groups=groups)
    assert rule.feasible_
    facts = rule.payload()
    assert (facts["groups"], facts["counted_rows"], facts["rows"]) == (1000, 900, 4000)
    assert facts["counted"]["decided"] <= 900
    assert "one drawn row of each of 900" in facts["promise"]
    few = BoundedErrorRule(0.1).fit(scores[:80], y[:80], groups=groups[:80])
    assert not few.feasible_
    assert "these 20 groups cannot" in few.promise_
    cost = BoundedCostRule(0.6, COSTS).fit(scores, y, groups=groups)
    assert (cost.groups_, cost.counted_rows_) == (1000, 800)
    assert "800" in cost.promise_


def test_a_promise_is_checked_by_groups_where_rows_come_in_groups():
    scores, y, groups = clustered(np.random.default_rng(1), 1000, 4)
    facts = BoundedErrorRule(0.15).fit(scores, y, groups=groups).payload()
    truth = np.repeat([1, -1], [40, 40])
    said = np.ones(80, dtype=int)
    alone = check_promise(facts, truth, said)
    together = check_promise(facts, truth, said, np.arange(80) // 20)
    assert alone["status"] == "broken"
    assert together["status"] == "open", "four draws tell little"
    # One large group of errors is one of three groups, and counts as that.
    sizes = np.repeat([0, 1, 2], [8, 1, 1])
    found = check_promise(facts, [-1] * 8 + [1, 1], np.ones(10, dtype=int), sizes)
    assert found["groups"]["all"]["error"] == pytest.approx(1 / 3)
    prices = {"feasible": True, "max_cost": 0.3, "largest_cost": 5, "confidence": 0.95}
    spent = check_cost_promise(prices, COSTS, truth, said, np.arange(80) // 20)
    assert spent["groups"]["cost"]["rows"] == 4


def share_broken_by_doubt(by, repeats):
    rng = np.random.default_rng(3)
    truth = doubtful(rng, 300_000)
    broken = promised = 0
    for _ in range(repeats):
        rule = BoundedErrorRule(0.1, confidence=0.9, by=by)
        scores, p = doubtful(rng, 400 if by == "all" else 1500)
        rule.fit(scores, p)
        promised += rule.feasible_
        decided = rule.decide(truth[0])
        plus, minus = truth[1], 1 - truth[1]
        if by == "all":
            errors = [error_of(rule, *truth)]
        else:
            errors = [
                plus[decided == -1].sum() / max(plus[decided != 0].sum(), 1),
                minus[decided == 1].sum() / max(minus[decided != 0].sum(), 1),
            ]
        broken += rule.feasible_ and max(errors) > 0.102
    assert promised
    return broken / repeats


@pytest.mark.parametrize("by", ["all", "label"])
def test_the_promise_on_probabilities_is_kept(by):
    assert share_broken_by_doubt(by, 20) <= allowed(0.1, 20)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("by", ["all", "label"])
def test_the_promise_on_probabilities_is_kept_over_400_draws(by):
    assert share_broken_by_doubt(by, 400) <= allowed(0.1, 400)


def test_a_doubtful_row_is_one_row_whose_loss_is_its_expected_error():
    scores, p = doubtful(np.random.default_rng(0), 2000)
    facts = BoundedErrorRule(0.12).fit(scores, p).payload()
    assert facts["rows"] == 2000
    assert facts["feasible"]
    counted = facts["counted"]
    assert counted["decided"] <= 1800
    errors = counted["groups"]["all"]["errors"]
    assert errors != int(errors)
    assert errors / counted["decided"] < 0.12


@pytest.mark.parametrize("y", [[0.2, -0.1], [0.2, 1.2], [-1.0, 0.5]])
def test_what_is_neither_label_nor_probability_is_refused(y):
    with pytest.raises(ValueError, match="must hold"):
        BoundedErrorRule(0.1).fit([0.0, 1.0], y)


@pytest.mark.parametrize(
    "rule",
    [
        BoundedErrorRule(0.1),
        BoundedErrorRule(0.1, by="label"),
        BoundedErrorRule(0.1, costs=COSTS),
        BoundedCostRule(0.4, COSTS),
    ],
)
def test_one_group_alone_backs_nothing(rule):
    scores, y, groups = clustered(np.random.default_rng(1), 1, 100)
    facts = rule.fit(scores, y, groups=groups).payload()
    assert not facts["feasible"]
    assert (facts["groups"], facts["counted_rows"]) == (1, 0)
    assert facts.get("more_rows") is None
    assert not rule.decide(scores).any()


def test_a_limit_on_rejects_with_a_confidence_needs_two_groups():
    scores, y, groups = clustered(np.random.default_rng(1), 1, 100)
    rule = BoundedAbstentionRule(0.2, COSTS, confidence=0.9)
    with pytest.raises(InfeasibleRuleError, match="two groups"):
        rule.fit(scores, y, groups=groups)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_a_row_without_its_group_is_refused(missing):
    with pytest.raises(ValueError, match="missing in row 2"):
        BoundedErrorRule(0.1).fit([0.0, 1.0, 2.0], [1, -1, 1], groups=[1, 2, missing])
