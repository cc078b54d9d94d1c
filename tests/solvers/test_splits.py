"""Splits: classes in proportion, groups whole, the past before the future."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from solvers.splits import (
    cut_by_time,
    draw,
    draw_blindly,
    folds_of,
    units_of,
)

positives = hnp.arrays(bool, st.integers(4, 80)).filter(
    lambda y: 2 <= y.sum() <= len(y) - 2
)


@settings(max_examples=80)
@given(positive=positives, share=st.floats(0.01, 0.9), seed=st.integers(0, 99))
def test_single_rows_are_drawn_in_proportion(positive, share, seed):
    drawn = draw(units_of(positive, None), share, np.random.default_rng(seed))
    for side in (positive, ~positive):
        wanted = min(max(round(share * side.sum()), 1), side.sum() - 1)
        assert drawn[side].sum() == wanted
    again = draw(units_of(positive, None), share, np.random.default_rng(seed))
    np.testing.assert_array_equal(drawn, again)


@settings(max_examples=80)
@given(positive=positives, share=st.floats(0.01, 0.9), seed=st.integers(0, 99))
def test_a_blind_draw_has_the_share_and_does_not_see_the_classes(positive, share, seed):
    n = len(positive)
    drawn, other = (
        draw_blindly(units_of(side, None), share, np.random.default_rng(seed))
        for side in (positive, ~positive)
    )
    np.testing.assert_array_equal(drawn, other)
    assert 1 <= drawn.sum() <= n - 1
    assert abs(drawn.sum() - share * n) <= 1


def test_the_classes_of_a_blind_draw_vary_as_chance_has_it():
    positive = np.arange(200) < 40
    generator = np.random.default_rng(0)
    units = units_of(positive, None)
    found = [positive[draw_blindly(units, 0.25, generator)].sum() for _ in range(4000)]
    # hypergeometric: 50 of 200 with 40 marked
    assert np.mean(found) == pytest.approx(10, abs=0.15)
    assert np.var(found) == pytest.approx(50 * 0.2 * 0.8 * 150 / 199, rel=0.08)


@settings(max_examples=80)
@given(positive=positives, n_groups=st.integers(4, 30), data=st.data())
def test_groups_stay_whole(positive, n_groups, data):
    groups = data.draw(
        hnp.arrays(np.int64, len(positive), elements=st.integers(0, n_groups))
    )
    units = units_of(positive, groups)
    generator = np.random.default_rng(0)
    drawn, fold = draw(units, 0.3, generator), folds_of(units, 3, generator)
    for group in np.unique(groups):
        assert len(np.unique(drawn[groups == group])) == 1
        assert len(np.unique(fold[groups == group])) == 1


def test_groups_are_drawn_near_the_share_of_both_classes():
    generator = np.random.default_rng(1)
    groups = generator.integers(0, 200, 2000)
    positive = generator.random(2000) < 0.1 + 0.3 * (groups % 2)
    drawn = draw(units_of(positive, groups), 0.2, generator)
    assert drawn[positive].mean() == pytest.approx(0.2, abs=0.03)
    assert drawn[~positive].mean() == pytest.approx(0.2, abs=0.03)


@settings(max_examples=80)
@given(positive=positives, n_folds=st.integers(2, 5), seed=st.integers(0, 99))
def test_folds_of_single_rows_are_even(positive, n_folds, seed):
    fold = folds_of(units_of(positive, None), n_folds, np.random.default_rng(seed))
    for rows in (positive, ~positive, np.ones(len(positive), bool)):
        sizes = np.bincount(fold[rows], minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1


def test_folds_of_groups_are_nearly_even():
    generator = np.random.default_rng(2)
    groups = generator.integers(0, 150, 1500)
    positive = generator.random(1500) < 0.3
    fold = folds_of(units_of(positive, groups), 5, generator)
    assert np.ptp(np.bincount(fold[positive])) <= 0.1 * positive.sum()
    assert np.ptp(np.bincount(fold[~positive])) <= 0.1 * (~positive).sum()


@settings(max_examples=80)
@given(data=st.data(), positive=positives, share=st.floats(0.05, 0.9))
def test_no_training_row_is_later_than_the_cut(data, positive, share):
    n = len(positive)
    moment = data.draw(hnp.arrays(float, n, elements=st.integers(0, 12).map(float)))
    groups = data.draw(st.none() | hnp.arrays(np.int64, n, elements=st.integers(0, 20)))
    future = cut_by_time(units_of(positive, groups), moment, share)
    if not future.any():
        return
    assert not future.all()
    if groups is None:
        assert moment[~future].max() < moment[future].min()
        return
    for group in np.unique(groups[future]):
        assert moment[groups == group].max() > moment[~future].max()


def test_the_cut_is_as_near_the_share_as_ties_allow():
    moment = np.repeat(np.arange(10.0), 10)
    future = cut_by_time(units_of(np.arange(100) % 2 == 0, None), moment, 0.24)
    assert future.sum() == 20
    assert moment[future].min() == 8.0


def test_one_moment_has_no_future():
    units = units_of(np.array([True, False, True]), None)
    assert not cut_by_time(units, np.zeros(3), 0.5).any()
