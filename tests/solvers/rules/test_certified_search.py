"""The search looks at one part of the rows, the certificate at the other."""

from math import inf

import numpy as np
import pytest
from draws import gaussian
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.metrics import augmented_confusion_matrix
from solvers.rules import BoundedCostRule, check_promise
from solvers.rules.certified_search import (
    Pairs,
    Split,
    certified,
    count_pairs,
    pairs_of,
    split_rows,
)
from solvers.rules.promise import check_cost_promise
from solvers.rules.tails import binomial_tail, mean_loss_tail

small = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=30)


@settings(deadline=None)
@given(small)
def test_a_pair_is_counted_as_its_band_decides(rows):
    scores = np.asarray([score for score, _ in rows], dtype=float)
    positive = np.asarray([label for _, label in rows])
    # Thresholds between the scores, and on them.
    ends = [-inf, -1.0, 0.0, 0.5, 2.0, inf]
    i, j = np.triu_indices(len(ends))
    pairs = Pairs(np.take(ends, i), np.take(ends, j))
    counts = count_pairs(pairs, scores, positive)
    for k in range(len(pairs.lower)):
        decided = pairs.band(k).decide(scores)
        table = augmented_confusion_matrix(np.where(positive, 1, -1), decided)
        assert table.tolist() == [
            [
                counts.true_positive[k],
                counts.false_negative[k],
                counts.reject_positive[k],
            ],
            [
                counts.false_positive[k],
                counts.true_negative[k],
                counts.reject_negative[k],
            ],
        ]
        assert counts.decided[k] == np.count_nonzero(decided)


def error_doubt(pairs, counts):
    del pairs
    return binomial_tail(
        counts.false_positive + counts.false_negative, counts.decided, 0.1
    )


def decided(counts):
    return counts.decided


def test_what_the_testing_rows_contradict_is_not_certified():
    scores = np.linspace(-1.0, 1.0, 400)
    right, wrong = (scores, scores > 0), (scores, scores <= 0)
    pairs = pairs_of(*right)
    assert len(certified(pairs, Split(right, right), error_doubt, decided, 0.05))
    assert not len(certified(pairs, Split(right, wrong), error_doubt, decided, 0.05))


@pytest.mark.parametrize(
    ("passes", "taken"),
    [
        ([True, True, True], 3),
        ([True, False, True], 1),
        ([False, True, True], 0),
        ([True, True, False], 2),
    ],
)
def test_nothing_behind_the_first_failure_is_certified(passes, taken):
    scores = np.array([-1.0, 0.0, 1.0, 2.0])
    pairs = Pairs(np.array([0.0, 0.0, 0.0]), np.array([2.0, 1.0, 0.0]))
    doubts = iter([np.array([0.1, 0.2, 0.3]), np.where(passes, 0.01, 0.9)])
    part = scores, scores > 0.5
    found = certified(
        pairs,
        Split(part, part),
        lambda _pairs, _counts: next(doubts),
        lambda counts: np.arange(len(counts.decided), dtype=float),
        0.05,
    )
    assert found.tolist() == list(range(taken))


@given(st.integers(2, 500), st.integers(0, 5))
def test_the_split_takes_every_row_once_and_sees_neither_score_nor_label(n, seed):
    rows = np.arange(float(n))
    split = split_rows(rows, rows % 2 == 0, seed)
    both = np.concatenate((split.selection[0], split.testing[0]))
    assert np.array_equal(np.sort(both), rows)
    other = split_rows(-rows, rows % 3 == 0, seed)
    assert np.array_equal(-other.selection[0][::-1], split.selection[0][::-1])


def test_the_bound_on_a_mean_is_that_of_hoeffding_and_bentkus():
    # Bates et al. (2021), with sums over the binomial by hand.
    n, limit = 40, 0.3
    steps = np.arange(n + 1)
    choose = np.cumprod(np.concatenate(([1.0], (n - steps[:-1]) / (steps[:-1] + 1))))
    mass = choose * limit**steps * (1 - limit) ** (n - steps)
    for mean in (0.0, 0.05, 0.11, 0.2, 0.29, 0.3, 0.5):
        low = min(mean, limit)
        entropy = (1 - low) * np.log((1 - low) / (1 - limit))
        entropy += low * np.log(low / limit) if low else 0.0
        bentkus = np.e * mass[: int(np.ceil(round(n * mean, 9))) + 1].sum()
        expected = min(1.0, np.exp(-n * entropy), bentkus)
        assert float(mean_loss_tail(mean, n, limit)) == pytest.approx(expected)


@pytest.mark.parametrize("max_cost", [0.17, 0.2, 0.9])
def test_a_rule_of_bounded_cost_decides_most_of_what_is_certified(max_cost):
    costs = CostMatrix(1, 1, 0.3, 0.3)
    scores, y = gaussian(8, 4000)
    rule = BoundedCostRule(max_cost, costs).fit(scores, y)
    assert rule.feasible_
    share = np.mean(rule.decide(scores) != 0)
    if max_cost >= 0.9:
        assert share == 1.0
    # A stricter limit is certified for fewer pairs, so it decides no more.
    stricter = BoundedCostRule(0.9 * max_cost, costs).fit(scores, y)
    if stricter.feasible_:
        assert np.mean(stricter.decide(scores) != 0) <= share
    split = split_rows(scores, y > 0, rule.seed)
    pairs = pairs_of(*split.selection)

    def doubt(_pairs, counts):
        wrong = counts.false_positive + counts.false_negative
        spent = wrong + 0.3 * (counts.reject_positive + counts.reject_negative)
        return mean_loss_tail(spent / counts.rows, round(counts.rows), max_cost)

    passed = certified(pairs, split, doubt, decided, 0.05)
    shares = [np.mean(pairs.band(int(k)).decide(scores) != 0) for k in passed]
    assert len(shares) > 1 or max_cost >= 0.9
    assert share == max(shares)


@pytest.mark.parametrize(
    "costs", [CostMatrix(1, 1, 0.01, 0.9), CostMatrix(1, 1, 0.9, 0.01)]
)
def test_rejects_of_both_classes_are_counted_with_their_prices(costs):
    # Scores tell nothing: with either price left out, rejecting would look cheap.
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=2000), np.where(rng.random(2000) < 0.5, 1, -1)
    assert not BoundedCostRule(0.3, costs).fit(scores, y).feasible_


def test_a_promise_on_costs_is_checked_on_new_rows():
    costs = CostMatrix(1, 1, 0.3, 0.3)
    facts = BoundedCostRule(0.25, costs).fit(*gaussian(9, 8000)).payload()
    assert facts["feasible"]
    y = np.where(np.arange(4000) % 2, 1, -1)
    kept = check_cost_promise(facts, costs, y, y)
    assert kept["status"] == "holds"
    assert kept["groups"]["cost"]["mean_cost"] == 0.0
    broken = check_cost_promise(facts, costs, y, np.zeros(4000))
    assert broken["status"] == "broken"
    assert broken["groups"]["cost"]["mean_cost"] == pytest.approx(0.3)
    assert check_cost_promise(facts, costs, y[:3], y[:3])["status"] == "open"


def test_one_broken_part_breaks_the_promise_however_open_the_other_is():
    facts = {
        "feasible": True,
        "by": "decision",
        "max_error": {"+1": 0.1, "-1": 0.1},
        "confidence": 0.95,
    }
    y = np.array([-1] * 300 + [1] * 3 + [-1] * 5)
    said = np.array([1] * 300 + [1] * 3 + [-1] * 5)
    told = check_promise(facts, y, said)
    low, high = told["groups"]["-1"]["interval"]
    assert low <= 0.1 < high, "five rows leave it open"
    assert told["status"] == "broken"
    assert check_promise(facts, y[300:], said[300:])["status"] == "open"
