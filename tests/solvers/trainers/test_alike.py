"""Rows that hang together are told by their traces; rows that do not are left alone."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from solvers.rules import BoundedErrorRule
from solvers.trainers.alike import hang_together
from solvers.trainers.meta import RejectOptionClassifier


def labelled(x, rng):
    return np.where(rng.random(len(x)) < 1 / (1 + np.exp(-2 * x[:, 0])), 1, -1)


def clustered(size, n=420, seed=0):
    """Groups one after the other, each about a middle of its own."""
    rng = np.random.default_rng(seed)
    middles = np.repeat(rng.normal(size=(n // size, 2)), size, axis=0)
    x = middles + 0.5 * rng.normal(size=(n, 2))
    return x, labelled(x, rng)


def separate(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 3))
    return x, labelled(x, rng)


@pytest.mark.parametrize("size", [3, 10, 20])
def test_rows_that_follow_each_other_and_are_alike_are_told(size):
    assert "follow each other" in hang_together(*clustered(size))


def test_copies_are_told_in_any_order_of_the_rows():
    x, y = separate(100)
    mixed = np.random.default_rng(1).permutation(np.repeat(np.arange(100), 3))
    assert "200 of 300 rows equal another" in hang_together(x[mixed], y[mixed])
    nearly = x[mixed] + 1e-6 * np.random.default_rng(2).normal(size=(300, 3))
    assert "equal another" in hang_together(nearly, y[mixed])


def test_separate_rows_are_left_alone_sorted_or_not():
    for seed in range(40):
        x, y = separate(seed=seed)
        rare = np.where(np.arange(400) < 20, 1, -1)
        shifted = x + 3.0 * (rare > 0)[:, None]
        for order in (slice(None), np.argsort(x[:, 0]), np.argsort(y)):
            assert hang_together(x[order], y[order]) is None
        assert hang_together(shifted, rare) is None


def test_few_values_make_equal_rows_without_hanging_together():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, (500, 3)).astype(float)
    assert hang_together(x, labelled(x, rng)) is None


@pytest.mark.parametrize(
    "odd",
    [
        np.full((100, 2), np.nan),
        np.zeros((100, 0)),
        np.array([["a"] * 100]).T,
        np.full((100, 1), 1e308),
        np.zeros(100),
    ],
    ids=["missing", "none", "text", "far", "flat"],
)
def test_odd_tables_say_nothing(odd):
    assert hang_together(odd, np.ones(100)) is None


def test_a_classifier_with_a_promise_warns_and_groups_end_it():
    x, y = clustered(10)
    model = RejectOptionClassifier(LogisticRegression(), BoundedErrorRule(0.3))
    with pytest.warns(UserWarning, match="belong together"):
        model.fit(x, y)
    groups = np.arange(420) // 10
    model.fit(x, y, groups=groups)
    assert model.rule_.groups_ == pytest.approx(10, abs=1)


def test_a_classifier_with_a_promise_splits_by_what_rows_say():
    x, y = separate()
    first = RejectOptionClassifier(LogisticRegression(), BoundedErrorRule(0.3))
    first.fit(x, y)
    mixed = np.random.default_rng(3).permutation(400)
    again = RejectOptionClassifier(LogisticRegression(), BoundedErrorRule(0.3))
    again.fit(x[mixed], y[mixed])
    assert set(mixed[again.oof_rows_]) == set(first.oof_rows_)
    assert again.rule_.lower_ == pytest.approx(first.rule_.lower_, abs=1e-3)
