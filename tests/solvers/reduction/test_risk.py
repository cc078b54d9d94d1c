"""The two thresholds against an exhaustive search, and what marks do to rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.reduction import (
    Marks,
    apply_changes,
    best_posterior_threshold,
    rejection_risk,
)
from solvers.reduction.methods import by_distance, by_posterior, by_two


def risk_of(rejected, wrong, weights, cost):
    total = weights.sum()
    missed = (weights * (wrong & ~rejected)).sum()
    return (cost * (weights * rejected).sum() + missed) / total


@given(seed=st.integers(0, 10_000), cost=st.sampled_from([0.04, 0.24, 0.44]))
def test_the_posterior_threshold_is_the_best_of_its_grid(seed, cost):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    posterior = 0.5 + np.round(rng.random(n) / 2, 2)
    wrong = rng.random(n) < 1.0 - posterior
    weights = rng.integers(1, 4, size=n).astype(float)
    found = best_posterior_threshold(posterior, wrong, weights, cost)
    grid = np.round(np.arange(0.5, 1.001, 0.01), 2)
    risks = [risk_of(posterior < beta, wrong, weights, cost) for beta in grid]
    assert found in grid
    got = risk_of(posterior < found, wrong, weights, cost)
    assert got == pytest.approx(min(risks), abs=1e-12)


@given(seed=st.integers(0, 10_000), cost=st.sampled_from([0.04, 0.24, 0.44]))
def test_the_band_of_least_risk_is_the_best_of_all_bands(seed, cost):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    scores = np.round(rng.normal(size=n), 1)
    signs = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    weights = rng.integers(1, 4, size=n).astype(float)
    risk, rejected = rejection_risk(scores, signs, weights, cost)
    wrong = np.where(scores > 0, 1.0, -1.0) != signs
    size = np.abs(scores)
    edges = [0.0, *np.unique(size), np.inf]
    bands = [size < edge for edge in edges]
    assert risk == pytest.approx(min(risk_of(b, wrong, weights, cost) for b in bands))
    same = [np.average(b, weights=weights) for b in bands]
    assert any(rejected == pytest.approx(share) for share in same)


def test_no_row_is_rejected_where_nothing_is_wrong():
    scores, signs = np.array([2.0, -1.0, 0.5]), np.array([1.0, -1.0, 1.0])
    assert rejection_risk(scores, signs, np.ones(3), 0.24) == (0.0, 0.0)
    marks = by_posterior(scores, signs, np.ones(3), 0.24)
    assert marks.threshold == 0.5
    assert not marks.rejected.any()
    assert not marks.wrong.any()


def test_marks_by_distance():
    scores = np.array([0.2, -0.2, 1.5, -1.5, 0.5])
    signs = np.array([1.0, 1.0, 1.0, 1.0, -1.0])
    marks = by_distance(scores, signs, 0.4)
    np.testing.assert_array_equal(marks.rejected, [True, True, False, False, False])
    np.testing.assert_array_equal(marks.wrong, [False, False, False, True, True])
    none = by_distance(scores, signs, 0.0)
    assert not none.rejected.any()
    np.testing.assert_array_equal(none.wrong, [False, True, False, True, True])
    mirrored = by_distance(-scores, -signs, 0.4)
    np.testing.assert_array_equal(mirrored.rejected, marks.rejected)
    np.testing.assert_array_equal(mirrored.wrong, marks.wrong)


def test_marks_by_two_machines():
    first = np.array([1.0, -1.0, 1.0, -1.0])
    second = np.array([2.0, 1.0, 1.0, -2.0])
    marks = by_two(first, second, np.array([1.0, 1.0, -1.0, -1.0]))
    np.testing.assert_array_equal(marks.rejected, [False, True, False, False])
    np.testing.assert_array_equal(marks.wrong, [False, False, True, False])


def test_removing_drops_marked_rows_and_flipping_relabels_the_wrong_ones():
    signs = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    marks = Marks(
        rejected=np.array([True, False, False, False, False]),
        wrong=np.array([False, True, False, False, True]),
    )
    removed = apply_changes(marks, signs, "remove")
    np.testing.assert_array_equal(removed.kept, [2, 3])
    np.testing.assert_array_equal(removed.signs, [1.0, -1.0])
    assert (removed.removed, removed.flipped, removed.one_class) == (3, 0, False)
    flipped = apply_changes(marks, signs, "flip")
    np.testing.assert_array_equal(flipped.kept, [1, 2, 3, 4])
    np.testing.assert_array_equal(flipped.signs, [1.0, 1.0, -1.0, -1.0])
    assert (flipped.removed, flipped.flipped, flipped.one_class) == (1, 2, False)


def test_one_class_left_is_told():
    signs = np.array([1.0, -1.0])
    marks = Marks(np.array([False, True]), np.array([False, False]))
    assert apply_changes(marks, signs, "remove").one_class
