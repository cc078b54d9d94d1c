"""Rows are read as they are, and no part of them knows of another."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.loading import draw, load
from experiments.splits import parts, scaled, standardised


def numbered(n_rows, rng):
    """Return rows whose first feature is their number, so that they can be traced."""
    y = np.where(rng.random(n_rows) < 0.3, 1.0, -1.0)
    return np.column_stack([np.arange(n_rows), rng.normal(size=n_rows)]), y


class TestSplits:
    @given(
        n_rows=st.integers(10, 200),
        shares=st.sampled_from([(4, 1), (3, 1, 1), (1, 1)]),
        stratified=st.booleans(),
        seed=st.integers(0, 2**31),
    )
    def test_every_row_lands_in_exactly_one_part(
        self, n_rows, shares, stratified, seed
    ):
        rows = numbered(n_rows, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        found = parts(rows, shares, rng, stratified=stratified)
        assert len(found) == len(shares)
        numbers = np.concatenate([X[:, 0] for X, _ in found])
        assert sorted(numbers) == list(range(n_rows))
        for X, y in found:
            np.testing.assert_array_equal(y, rows[1][X[:, 0].astype(int)])
        for (X, _), share in zip(found, shares, strict=True):
            assert abs(len(X) - n_rows * share / sum(shares)) <= 2.0

    def test_stratified_parts_have_each_label_in_its_share(self):
        rows = np.zeros((1000, 1)), np.where(np.arange(1000) < 50, 1.0, -1.0)
        found = parts(rows, (3, 1, 1), np.random.default_rng(0), stratified=True)
        assert [int(np.sum(y > 0)) for _, y in found] == [30, 10, 10]

    def test_the_same_seed_gives_the_same_parts(self):
        rows = numbered(50, np.random.default_rng(0))
        one, two = (parts(rows, (4, 1), np.random.default_rng(3)) for _ in range(2))
        np.testing.assert_array_equal(one[1][0], two[1][0])

    def test_nothing_is_learnt_from_a_test_part(self):
        rng = np.random.default_rng(0)
        train = rng.normal(2.0, 3.0, (40, 2)), np.ones(40)
        test = rng.normal(50.0, 9.0, (7, 2)), np.ones(7)
        alone, _ = standardised(train, test)
        np.testing.assert_allclose(alone[0].mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(alone[0].std(axis=0), 1.0)
        others = standardised(train, (test[0] * 1e6, test[1]))
        np.testing.assert_array_equal(alone[0], others[0][0])

    def test_a_constant_feature_stays_finite(self):
        X = np.column_stack([np.ones(5), np.arange(5.0)])
        (Z, _), _ = standardised((X, np.ones(5)), (X, np.ones(5)))
        assert np.isfinite(Z).all()
        assert np.isfinite(scaled(X)[0]).all()

    def test_ranges_become_minus_one_to_one(self):
        X = np.array([[0.0, 4.0], [10.0, 8.0], [5.0, 6.0]])
        train, test = scaled(X, np.array([[20.0, 4.0]]))
        assert train.min() == -1.0
        assert train.max() == 1.0
        np.testing.assert_allclose(test, [[3.0, -1.0]])


class TestLoading:
    def test_the_last_column_is_the_label(self, tmp_path):
        (tmp_path / "toy.csv.gz").write_bytes(_gzipped("a,label\n1.5,1\n2,-1\n"))
        X, y = load(tmp_path, "toy")
        np.testing.assert_array_equal(X, [[1.5], [2.0]])
        np.testing.assert_array_equal(y, [1.0, -1.0])

    def test_a_missing_set_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no data set 'wdbc'"):
            load(tmp_path, "wdbc")

    def test_other_labels_are_refused(self, tmp_path):
        (tmp_path / "toy.csv.gz").write_bytes(_gzipped("a,label\n1,0\n2,1\n"))
        with pytest.raises(ValueError, match="1 and -1 only"):
            load(tmp_path, "toy")

    def test_a_draw_has_no_row_twice(self):
        rows = numbered(100, np.random.default_rng(0))
        X, _ = draw(rows, 30, np.random.default_rng(1))
        assert len(set(X[:, 0])) == 30
        assert draw(rows, 500, np.random.default_rng(1)) is rows


def _gzipped(text):
    return gzip.compress(text.encode())
