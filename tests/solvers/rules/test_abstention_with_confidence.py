"""A limit on reviews: on average without a confidence, and surely with one."""

from math import sqrt

import numpy as np
import pytest
from draws import gaussian

from solvers.rules import BoundedAbstentionRule
from solvers.rules.promise import check_share_promise

LIMIT = 0.2
WAYS = [(100, 1.0), (400, 1.0), (400, 0.5)]


def share_above(n, shift, confidence, repeats, size=1):
    """Return in which share of draws the true share of rejects is above the limit."""
    scores = gaussian(10**6, 200_000, shift)[0]
    above = 0
    for seed in range(repeats):
        rows, y = gaussian(seed, n, shift)
        rule = BoundedAbstentionRule(LIMIT, confidence=confidence)
        groups = None
        if size > 1:  # copies: a group is one draw
            rows, y = np.repeat(rows, size), np.repeat(y, size)
            groups = np.repeat(np.arange(n), size)
        rule.fit(rows, y, groups=groups)
        above += np.mean(rule.decide(scores) == 0) > LIMIT + 0.002
    return above / repeats


def allowed(repeats, miss=0.1):
    return miss + 3 * sqrt(miss * (1 - miss) / repeats)


@pytest.mark.parametrize(("n", "shift"), WAYS)
def test_with_a_confidence_the_limit_holds(n, shift):
    assert share_above(n, shift, 0.9, 30) <= allowed(30)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("n", "shift"), WAYS)
@pytest.mark.parametrize("size", [1, 5])
def test_with_a_confidence_the_limit_holds_over_400_draws(n, shift, size):
    assert share_above(n, shift, 0.9, 400, size) <= allowed(400)


def test_groups_count_as_draws():
    assert share_above(100, 1.0, 0.9, 20, size=5) <= allowed(20)


def test_without_one_it_holds_on_average_only():
    assert share_above(400, 1.0, None, 40) > 0.2
    rule = BoundedAbstentionRule(LIMIT).fit(*gaussian(0, 400))
    assert rule.payload()["max_reject_rate"] == LIMIT
    assert "promise" not in rule.payload()
    assert not rule.promised


def test_the_limit_is_used_where_rows_are_many():
    scores, y = gaussian(0, 20_000)
    rule = BoundedAbstentionRule(LIMIT, confidence=0.95).fit(scores, y)
    assert rule.promised
    assert 0.15 < np.mean(rule.decide(scores) == 0) <= LIMIT
    average = BoundedAbstentionRule(LIMIT).fit(scores, y)
    wrong = [np.mean(one.decide(scores) == -y) for one in (rule, average)]
    assert wrong[0] == pytest.approx(wrong[1], abs=0.02)


def test_what_is_promised_is_said_and_checked():
    scores, y = gaussian(1, 2000)
    facts = BoundedAbstentionRule(LIMIT, confidence=0.95).fit(scores, y).payload()
    for said in ("20 %", "95 %", "400 rows", "1600 others"):
        assert said in facts["promise"]
    few, many = np.zeros(50), np.ones(950)
    assert check_share_promise(facts, [*few, *many])["status"] == "holds"
    assert check_share_promise(facts, [*many, *np.zeros(900)])["status"] == "broken"
    assert check_share_promise(facts, [0, 1, 1, 1])["status"] == "open"
    assert check_share_promise(facts, [])["status"] == "open"
    alike = np.arange(1850) // 925
    told = check_share_promise(facts, [*many, *np.zeros(900)], alike)
    assert told["status"] == "open", "two groups tell little"


def test_no_room_for_rejects_is_a_promise_too():
    scores, y = gaussian(2, 60)
    rule = BoundedAbstentionRule(0.0, confidence=0.99).fit(scores, y)
    assert (rule.decide(scores) != 0).all()


def test_weights_cannot_be_counted():
    scores, y = gaussian(3, 60)
    with pytest.raises(ValueError, match="no sample_weight"):
        BoundedAbstentionRule(LIMIT, confidence=0.9).fit(scores, y, np.ones(60))
    with pytest.raises(ValueError, match="confidence"):
        BoundedAbstentionRule(LIMIT, confidence=1.0).fit(scores, y)
