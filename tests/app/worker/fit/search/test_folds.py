"""Folds: whole groups, the past before the future, no part in one's own decision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.worker.fit.search.folds import search_folds
from tests.app.samples import sample


@st.composite
def tables(draw, timed):
    n = draw(st.integers(40, 120))
    generator = np.random.default_rng(draw(st.integers(0, 2**20)))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    n_groups = draw(st.none() | st.integers(n // 3, n))
    groups = None if n_groups is None else generator.integers(0, n_groups, n)
    moment = generator.integers(0, 4 * n, n).astype(float) if timed else None
    kept = np.sort(generator.permutation(n)[: draw(st.integers(36, n))])
    return sample(y, groups=groups, moment=moment), kept, draw(st.integers(2, 4))


def parts(table, rows, wanted):
    try:
        return search_folds(table, rows, 3, wanted)
    except InvalidRequestError as refusal:
        if "one class only" in str(refusal):  # an early stretch is told to be so
            return []
        raise


@settings(max_examples=60)
@given(st.booleans().flatmap(tables))
def test_no_row_and_no_group_helps_to_decide_itself(given_):
    table, rows, wanted = given_
    folds = parts(table, rows, wanted)
    ids = rows if table.groups is None else table.groups[rows]
    for fold in folds:
        assert not set(ids[fold.fits]) & set(ids[fold.scores])
        for j in fold.tuned_by:
            assert not set(ids[folds[j].scores]) & set(ids[fold.scores])
    if folds:
        scored = np.sum([fold.scores for fold in folds], axis=0)
        assert scored.max() == 1
        assert sum(bool(fold.tuned_by) for fold in folds) == wanted


@settings(max_examples=40)
@given(tables(timed=False))
def test_at_random_every_row_is_decided_once(given_):
    table, rows, wanted = given_
    folds = parts(table, rows, wanted)
    assert np.array_equal(sum(fold.scores.astype(int) for fold in folds), 1 + 0 * rows)
    assert all(np.array_equal(fold.fits, ~fold.scores) for fold in folds)


@settings(max_examples=40)
@given(tables(timed=True))
def test_by_time_only_the_past_decides(given_):
    table, rows, wanted = given_
    folds = parts(table, rows, wanted)
    moment = table.moment[rows]
    latest = moment.copy()
    if table.groups is not None:  # a group lies where its latest row lies
        ids = table.groups[rows]
        latest = np.array([moment[ids == one].max() for one in ids])
    for fold in folds:
        assert latest[fold.fits].max() < latest[fold.scores].min()
        for j in fold.tuned_by:
            assert latest[folds[j].scores].max() < latest[fold.scores].min()
    sizes = [fold.scores.sum() for fold in folds]
    assert not folds or table.groups is not None or max(sizes) <= 3 * max(min(sizes), 1)


def test_too_few_moments_are_refused_with_the_way_out():
    y = np.where(np.arange(40) % 2, 1.0, -1.0)
    table = sample(y, moment=np.arange(40.0) // 10)
    with pytest.raises(InvalidRequestError, match=r"4 different .* 5 folds .* need 7"):
        search_folds(table, np.arange(40), 0, 5)
    assert len(search_folds(table, np.arange(40), 0, 2)) == 3


def test_fewer_rows_of_a_class_than_folds_make_fewer_folds():
    table = sample([1.0, 1.0, 1.0] + [-1.0] * 30)
    assert len(search_folds(table, np.arange(33), 0, 10)) == 3
