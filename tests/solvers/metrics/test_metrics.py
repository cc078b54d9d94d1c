import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import metrics
from solvers.costs import CostMatrix

COSTS = CostMatrix(1, 5, 0.5, 0.2)
PRICES = {
    "false_positive": 1,
    "false_negative": 5,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}

codes = st.sampled_from([-1, 0, 1])
rows = st.lists(st.tuples(st.sampled_from([-1, 1]), codes), min_size=1, max_size=60)


def unzip(drawn):
    y, decided = zip(*drawn, strict=True)
    return np.array(y), np.array(decided)


@given(rows)
def test_rates_are_counts_of_rows(drawn):
    y, decided = unzip(drawn)
    n = len(y)
    kept = decided != 0
    wrong = kept & (decided != y)
    table = metrics.augmented_confusion_matrix(y, decided)
    assert table.sum() == n
    assert table[0].tolist() == [
        np.sum((y == 1) & (decided == 1)),
        np.sum((y == 1) & (decided == -1)),
        np.sum((y == 1) & (decided == 0)),
    ]
    assert metrics.error_rate(y, decided) == pytest.approx(wrong.sum() / n)
    assert metrics.reject_rate(decided) == pytest.approx(np.mean(~kept))
    assert metrics.coverage(decided) == pytest.approx(np.mean(kept))
    spent = metrics.expected_cost(y, decided, COSTS)
    assert spent == pytest.approx(COSTS.of_decisions(y, decided).mean())
    assert spent == pytest.approx(metrics.expected_cost(y, decided, PRICES))
    if kept.any():
        share = wrong.sum() / kept.sum()
        assert metrics.selective_error(y, decided) == pytest.approx(share)
    for code, rate in (
        (1, metrics.positive_predictive_value),
        (-1, metrics.negative_predictive_value),
    ):
        called = decided == code
        if called.any():
            assert rate(y, decided) == pytest.approx(np.mean(y[called] == code))
        else:
            assert np.isnan(rate(y, decided))


def test_rates_of_nothing_are_undefined_not_perfect():
    assert np.isnan(metrics.selective_error([1, -1], [0, 0]))
    assert metrics.error_rate([1, -1], [0, 0]) == 0.0
    assert np.isnan(metrics.normalized_mutual_information([1, 1], [1, 0]))


LABELS = {
    "signs": ([-1, 1], None),
    "bits": ([0, 1], None),
    "zero and two": ([0, 2], 2),
    "booleans": ([False, True], None),
    "strings": (["no", "yes"], "yes"),
}


@pytest.mark.parametrize("name", LABELS)
def test_reject_is_never_the_negative_class_whatever_the_labels(name):
    (negative, positive), named = LABELS[name]
    signs = np.array([1, 1, 1, -1, -1, -1, -1])
    decided = np.array([1, -1, 0, 1, -1, 0, 0])
    y = np.where(signs == 1, positive, negative)
    table = metrics.augmented_confusion_matrix(y, decided, positive=named)
    assert table.tolist() == [[1, 1, 1], [1, 1, 2]]
    assert metrics.expected_cost(y, decided, COSTS, positive=named) == pytest.approx(
        (5 + 0.5 + 1 + 2 * 0.2) / 7
    )


@pytest.mark.parametrize(
    ("y", "decided", "positive", "told"),
    [
        ([0, 2], [0, 0], None, "Name it"),
        (["a", "b"], [0, 0], None, "Name it"),
        (["a", "b"], [0, 0], "c", "none of"),
        ([0, 1, 2], [0, 0, 0], 1, "two classes"),
        ([-1, 1], [0, 2], None, "codes"),
        ([-1, 1], [True, False], None, "codes"),
        ([-1, 1], [0], None, "shape"),
        ([[-1, 1]], [0, 0], None, "shape"),
    ],
)
def test_labels_and_decisions_that_are_none_are_refused(y, decided, positive, told):
    with pytest.raises(ValueError, match=told):
        metrics.augmented_confusion_matrix(y, decided, positive=positive)


@given(rows)
def test_information_is_the_formula_and_between_zero_and_the_entropy(drawn):
    y, decided = unzip(drawn)
    n = len(y)
    total = 0.0
    for truth in (-1, 1):
        for code in (-1, 1):
            both = np.sum((y == truth) & (decided == code))
            if both:
                of_truth, called = np.sum(y == truth), np.sum(decided == code)
                total += both / n * np.log(n * both / of_truth / called)
    found = metrics.modified_mutual_information(y, decided)
    assert found == pytest.approx(total, abs=1e-12)
    share = np.mean(y == 1)
    if 0 < share < 1:
        entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
        assert metrics.label_entropy(y) == pytest.approx(entropy)
        nmi = metrics.normalized_mutual_information(y, decided)
        assert -1e-12 <= nmi <= 1 + 1e-12


@given(rows)
def test_rejecting_a_right_row_never_adds_information(drawn):
    y, decided = unzip(drawn)
    right = np.flatnonzero(decided == y)
    if not right.size or not (decided[decided != 0] == y[decided != 0]).all():
        return
    fewer = decided.copy()
    fewer[right[0]] = 0
    assert (
        metrics.modified_mutual_information(y, fewer)
        <= metrics.modified_mutual_information(y, decided) + 1e-12
    )


@given(rows, st.data())
def test_weight_two_is_a_row_twice(drawn, data):
    y, decided = unzip(drawn)
    weights = np.array(
        data.draw(st.lists(st.integers(1, 3), min_size=len(y), max_size=len(y)))
    )
    twice = np.repeat(np.arange(len(y)), weights)
    for rate in (metrics.error_rate, metrics.normalized_mutual_information):
        assert rate(y, decided, weights) == pytest.approx(
            rate(y[twice], decided[twice]), nan_ok=True
        )
    scores = decided + 0.1 * y
    assert metrics.area_under_risk_coverage(y, scores, weights) == pytest.approx(
        metrics.area_under_risk_coverage(y[twice], scores[twice])
    )


def test_probabilities_are_scored():
    y, p = np.array([1, 1, -1, -1]), np.array([0.9, 0.6, 0.4, 0.2])
    assert metrics.brier_score(y, p) == pytest.approx((0.01 + 0.16 + 0.16 + 0.04) / 4)
    assert metrics.calibration_error(y, np.full(4, 0.5)) == 0.0
    assert metrics.calibration_error(y, np.full(4, 0.9)) == pytest.approx(0.4)
    rng = np.random.default_rng(0)
    p = rng.random(50_000)
    y = np.where(rng.random(50_000) < p, 1, -1)
    assert metrics.calibration_error(y, p) < 0.01
    assert metrics.calibration_error(y, p**2) > 0.1
    for wrong in ([1.1, 0, 0, 0], [np.nan, 0, 0, 0], [0.5]):
        with pytest.raises(ValueError, match=r"probabilities|finite"):
            metrics.brier_score([1, 1, -1, -1], wrong)
    with pytest.raises(ValueError, match="bins"):
        metrics.calibration_error([1], [0.5], bins=0)


def test_divergence_is_zero_at_the_truth_only_and_never_negative():
    q = np.linspace(0, 1, 11)
    assert metrics.mean_binary_divergence(q, q) == pytest.approx(0.0, abs=1e-15)
    assert metrics.mean_binary_divergence(q, np.full(11, 0.5)) > 0.1
    assert np.isinf(metrics.mean_binary_divergence([0.5], [0.0]))


def test_the_bootstrap_agrees_with_the_table_and_repeats():
    rng = np.random.default_rng(2)
    y = np.where(rng.random(500) < 0.4, 1, -1)
    decided = np.where(rng.random(500) < 0.2, 0, np.where(rng.random(500) < 0.9, y, -y))
    table = metrics.augmented_confusion_matrix(y, decided)
    by_table = metrics.table_intervals(table, COSTS)["expected_cost"]
    by_rows = metrics.bootstrap_interval(
        metrics.expected_cost, y, decided, costs=COSTS, repeats=800
    )
    assert by_rows == pytest.approx(by_table, abs=0.02)
    again = metrics.bootstrap_interval(
        metrics.expected_cost, y, decided, costs=COSTS, repeats=800
    )
    assert again == by_rows


def test_the_bootstrap_draws_groups_whole_and_says_where_it_knows_nothing():
    rng = np.random.default_rng(3)
    y = np.repeat(rng.integers(0, 2, 60), 10)
    alone = metrics.bootstrap_interval(np.mean, y)
    whole = metrics.bootstrap_interval(np.mean, y, groups=np.repeat(range(60), 10))
    assert whole.high - whole.low > 2.5 * (alone.high - alone.low)
    rare = metrics.bootstrap_interval(
        metrics.positive_predictive_value, [1, -1, -1], [1, -1, -1], repeats=50
    )
    assert rare.value == 1.0
    assert np.isnan(rare[1:]).all()


@pytest.mark.parametrize(
    "table", [np.zeros((2, 3)), np.ones((2, 2)), 0.5 * np.ones((2, 3))]
)
def test_a_table_that_holds_no_row_counts_is_refused(table):
    with pytest.raises(ValueError, match=r"row counts|one row"):
        metrics.table_intervals(table)
    with pytest.raises(ValueError, match="level"):
        metrics.table_intervals(np.ones((2, 3)), level=1.0)


def test_figures_do_not_depend_on_the_order_of_rows():
    y, scores = np.array([1, -1, 1, -1]), np.array([2.0, 1.0, -1.0, -2.0])
    areas = {
        round(metrics.area_under_risk_coverage(y[list(o)], scores[list(o)]), 12)
        for o in permutations(range(4))
    }
    assert len(areas) == 1
    assert json.dumps(areas.pop())


def test_a_score_that_is_none_is_named_by_its_row():
    with pytest.raises(ValueError, match="got nan in row 1"):
        metrics.brier_score([1, -1, 1], [0.5, np.nan, 0.5])
