"""A promise of a band that never makes one of the decisions."""

from math import inf

import numpy as np
import pytest

from solvers.rules import BoundedErrorRule, check_promise
from solvers.rules.band import Band


def one_sided(by, group):
    """Return the payload of a rule that cannot make the group's error."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(2000) < 0.5, 1, -1)
    rule = BoundedErrorRule(0.2, by=by).fit(y + rng.normal(size=2000), y)
    calls_negative_only = (group == "+1") == (by == "decision")
    rule.band_ = Band(-1.0, inf) if calls_negative_only else Band(-inf, 1.0)
    return rule.payload(), -1 if calls_negative_only else 1


@pytest.mark.parametrize("group", ["+1", "-1"])
@pytest.mark.parametrize("by", ["decision", "label"])
def test_the_error_that_cannot_be_made_does_not_leave_the_promise_open(by, group):
    facts, said = one_sided(by, group)
    assert facts["feasible"]
    y = np.repeat([said, -said], [300, 300])
    decisions = np.where(y == said, said, 0)
    decisions[300:320] = said  # 20 of 320 wrong

    if by == "label":
        # Of the other label, all decided rows are wrong: that is broken.
        assert check_promise(facts, y, decisions)["status"] == "broken"
        decisions[300:] = 0
        found = check_promise(facts, y, decisions)
        assert found["status"] == "open"  # no trial of the other label, which could be
    else:
        assert check_promise(facts, y, decisions)["status"] == "holds"


@pytest.mark.parametrize("by", ["decision", "label"])
def test_an_error_that_can_be_made_and_was_never_tried_leaves_it_open(by):
    rng = np.random.default_rng(0)
    y = np.where(rng.random(2000) < 0.5, 1, -1)
    rule = BoundedErrorRule(0.2, by=by).fit(y + rng.normal(size=2000), y)

    assert check_promise(rule.payload(), [1, -1], [0, 0])["status"] == "open"
