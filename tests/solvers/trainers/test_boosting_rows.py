"""Early stopping keeps whole groups apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.trainers import (
    abstention_boosting,
    abstention_trees,
    gradient_boosting,
)
from solvers.trainers.boosting_rows import TrainingRows, split_rows


@given(st.integers(0, 10_000), st.integers(4, 30), st.floats(0.1, 0.4))
def test_groups_stay_whole_and_both_sides_have_both_classes(seed, n_groups, share):
    draw = np.random.default_rng(seed)
    groups = draw.integers(n_groups, size=200)
    y = np.where(draw.random(200) < 0.4, 1.0, -1.0)
    rows = TrainingRows(draw.normal(size=(200, 1)), y, np.ones(200), groups)
    train, apart = split_rows(rows, share, seed)
    if apart is None:
        assert train is rows
        return
    assert not set(train.groups) & set(apart.groups)
    assert len(train.y) + len(apart.y) == 200
    for side in (train, apart):
        assert set(side.y) == {-1.0, 1.0}
    largest = np.bincount(groups).max()
    assert abs(len(apart.y) - share * 200) <= largest + 1


def test_no_row_is_kept_apart_where_groups_leave_one_class():
    y = np.repeat([1.0, -1.0], 50)
    rows = TrainingRows(np.zeros((100, 1)), y, np.ones(100), np.repeat([7, 3], 50))
    assert split_rows(rows, 0.2, 0) == (rows, None)


BOOSTERS = [
    abstention_boosting.AbstentionBoostingClassifier(n_rounds=150, early_stopping=True),
    abstention_trees.AbstentionTreeBoostingClassifier(n_rounds=150),
    gradient_boosting.GradientBoostingRejectClassifier(n_rounds=150),
]


@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda b: type(b).__name__)
def test_copies_of_a_row_do_not_hide_overfitting(booster):
    """Each case is there eight times, its label is noise: siblings reward that."""
    draw = np.random.default_rng(3)
    X = np.repeat(draw.normal(size=(60, 3)), 8, axis=0)
    y = np.repeat(draw.integers(2, size=60), 8)
    case = np.repeat(np.arange(60), 8)
    blind = booster.fit(X, y).n_rounds_
    assert booster.fit(X, y, groups=case).n_rounds_ < blind / 2


@pytest.mark.parametrize("booster", BOOSTERS, ids=lambda b: type(b).__name__)
def test_one_group_a_row_is_wanted(booster):
    with pytest.raises(ValueError, match="one group a row"):
        booster.fit(np.zeros((4, 1)), [0, 1, 0, 1], groups=[1, 2])
