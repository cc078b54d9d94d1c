"""The search looks at one part of the rows, the certificate at the other."""

from math import inf

import numpy as np
import pytest
from draws import gaussian
from hypothesis import given
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
from solvers.rules.drawing import row_keys
from solvers.rules.promise import check_cost_promise
from solvers.rules.tails import binomial_tail, mean_loss_tail

small = st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=30)


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
    pairs = pairs_of(right[0], right[1] * 1.0)
    assert len(certified(pairs, Split(right, right, 800), error_doubt, decided, 0.05))
    assert not len(
        certified(pairs, Split(right, wrong, 800), error_doubt, decided, 0.05)
    )


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
        Split(part, part, 8),
        lambda _pairs, _counts: next(doubts),
        lambda counts: np.arange(len(counts.decided), dtype=float),
        0.05,
    )
    assert found.tolist() == list(range(taken))


@given(st.integers(2, 300), st.randoms(use_true_random=False))
def test_the_split_takes_every_row_once_and_the_same_in_any_order(n, random):
    rng = np.random.default_rng(random.randrange(10**6))
    rows, share = np.round(rng.normal(size=n), 1), (rng.random(n) < 0.5) * 1.0
    split = split_rows(rows, share)
    both = np.concatenate((split.selection, split.testing), axis=1)
    given_rows = np.stack((rows, share))
    assert np.array_equal(in_order(both), in_order(given_rows))
    mixed = rng.permutation(n)
    again = split_rows(rows[mixed], share[mixed])
    assert np.array_equal(again.testing, split.testing)


def in_order(rows):
    return rows[:, np.lexsort(rows)]


def test_with_keys_of_what_the_rows_say_the_split_is_that_of_any_scorer():
    rng = np.random.default_rng(0)
    matrix, y = rng.normal(size=(200, 3)), (rng.random(200) < 0.5) * 1.0
    keys = row_keys([*matrix.T, y])
    first = split_rows(matrix[:, 0], y, keys=keys)
    other = split_rows(matrix[:, 1], y, keys=keys)
    place = [np.flatnonzero(matrix[:, 0] == score)[0] for score in first.testing[0]]
    assert np.array_equal(matrix[place, 1], other.testing[0])


def test_a_row_has_one_key_whatever_its_type_or_sign_of_zero():
    whole, real = np.array([0, 1, 2]), np.array([-0.0, 1.0, 2.0])
    text = np.array(["a", "b", None], dtype=object)
    assert np.array_equal(row_keys([whole, text]), row_keys([real, text]))
    assert len(set(row_keys([whole, text]).tolist())) == 3
    assert not np.array_equal(row_keys([whole, real * 2]), row_keys([real * 2, whole]))


@pytest.mark.parametrize("sizes", [[1] * 40, [10] * 40, [1] * 20 + [30] * 20])
def test_of_each_group_that_tests_one_row_does_and_no_group_does_both(sizes):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    scores = groups + np.linspace(0, 0.5, len(groups))
    split = split_rows(scores, (scores % 2 > 1) * 1.0, groups)
    testing, selecting = (
        np.floor(part[0]).astype(int) for part in (split.testing, split.selection)
    )
    assert len(np.unique(testing)) == len(testing) == 32
    assert len(np.unique(selecting)) == 8
    assert not np.isin(testing, selecting).any()
    # All rows of a group that selects do.
    assert len(selecting) == sum(sizes[k] for k in np.unique(selecting))


def test_no_group_is_likelier_to_test_for_its_size():
    sizes = [1] * 20 + [30] * 20
    groups = np.repeat(np.arange(40), sizes)
    large = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=len(groups)) + 10.0 * groups
        share = (rng.random(len(groups)) < 0.5) * 1.0
        testing = split_rows(scores, share, groups).testing[0]
        large += np.count_nonzero(testing > 195)
    assert large / 300 == pytest.approx(16, abs=0.4)


def test_the_bound_on_a_mean_is_that_of_hoeffding_and_of_coins():
    # With sums over the binomial by hand.
    n, limit = 40, 0.3
    steps = np.arange(n + 1)
    choose = np.cumprod(np.concatenate(([1.0], (n - steps[:-1]) / (steps[:-1] + 1))))
    mass = choose * limit**steps * (1 - limit) ** (n - steps)
    for mean in (0.0, 0.05, 0.11, 0.2, 0.29, 0.3, 0.5):
        low = min(mean, limit)
        entropy = (1 - low) * np.log((1 - low) / (1 - limit))
        entropy += low * np.log(low / limit) if low else 0.0
        coins = 2.0 * mass[: int(np.ceil(round(n * mean, 9))) + 1].sum()
        expected = min(1.0, np.exp(-n * entropy), coins)
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
    split = split_rows(scores, (y > 0) * 1.0)
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
