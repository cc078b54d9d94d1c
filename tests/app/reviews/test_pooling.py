"""Verdicts and the machine's probability are pooled by Bayes' rule."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.reviews.pooling import cheaper_answer, pooled, stated_probability, weighs_share

P = st.floats(0.01, 0.99)


def logit(p):
    return log(p / (1 - p))


@given(P, st.lists(P, max_size=4), P)
def test_log_odds_add_up(prior, statements, share):
    p = pooled(prior, statements, share)
    expected = logit(prior) + sum(logit(q) - logit(share) for q in statements)
    assert logit(min(max(p, 1e-12), 1 - 1e-12)) == pytest.approx(expected, abs=1e-3)


@given(P, P)
def test_who_states_what_anybody_expects_says_nothing(prior, share):
    assert pooled(prior, [share], share) == pytest.approx(prior)
    assert pooled(None, [], share) == pytest.approx(share)


@given(P, st.lists(P, max_size=3), P)
def test_the_certain_outweigh_doubt_and_contradicting_ones_cancel(prior, doubts, share):
    assert pooled(prior, [1.0, *doubts], share) == 1
    assert pooled(prior, [0.0, *doubts], share) == 0
    assert pooled(prior, [1.0, 0.0, *doubts], share) == pooled(prior, doubts, share)
    assert pooled(prior, [1.0, 0.0, 0.0], share) == 0


@given(st.none() | P, st.lists(P | st.sampled_from([0.0, 1.0]), max_size=4))
def test_the_share_is_asked_for_where_it_tells(prior, statements):
    differ = pooled(prior, statements, 0.3) != pooled(prior, statements, 0.6)
    assert weighs_share(prior, statements) or not differ
    assert not weighs_share(prior, [1.0])


@given(st.sampled_from([0.0, 1.0]), st.lists(P, max_size=3), P)
def test_a_machine_that_is_sure_is_still_a_probability(prior, doubts, share):
    assert 0 < pooled(prior, doubts, share) < 1


@given(P, st.floats(0.1, 10), st.floats(0.1, 10))
def test_the_answer_is_the_cheaper_of_the_two(p, false_positive, false_negative):
    costs = {"false_positive": false_positive, "false_negative": false_negative}
    plus, minus = (1 - p) * false_positive, p * false_negative
    assert cheaper_answer(p, costs) == (plus <= minus)
    assert cheaper_answer(p, None) == (p >= 0.5)


def test_a_verdict_states_a_probability_of_plus_one():
    assert stated_probability(positive=True, sure=0.8) == 0.8
    assert stated_probability(positive=False, sure=0.8) == pytest.approx(0.2)
