"""Rows that are streamed give the same booster, to the bit, and are never held."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from solvers import (
    AbstentionBoostingClassifier,
    AbstentionTreeBoostingClassifier,
    AdaBoostStumpClassifier,
    GradientBoostingRejectClassifier,
    StreamedRows,
)

BOOSTERS = {
    "stumps": AbstentionBoostingClassifier(n_rounds=20),
    "few bins": AbstentionBoostingClassifier(n_rounds=20, max_bins=9),
    "adaboost": AdaBoostStumpClassifier(n_rounds=20),
    "trees": AbstentionTreeBoostingClassifier(n_rounds=10, early_stopping=False),
}


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = np.round(X[:, 1], 1)  # few distinct values
    X[rng.random(n) < 0.1, 2] = np.nan
    odds = X[:, 0] + X[:, 1] ** 2 - 1
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), "ill", "fit")


def streamed(X, sizes=(1000, 7)):
    def read():
        start = 0
        while start < len(X):
            for size in sizes:
                yield X[start : start + size]
                start += size

    return StreamedRows(read, *X.shape)


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("rows", [500, 30_000, 60_000])
@pytest.mark.parametrize("name", BOOSTERS)
def test_the_booster_is_that_of_the_rows_in_memory(name, rows, weighted):
    X, y = drawn(rows)
    weight = np.random.default_rng(1).uniform(0.5, 2, rows) if weighted else None
    booster = BOOSTERS[name].set_params(pos_label="ill")
    whole = booster.fit(X, y, weight)
    before = (whole.scorer_payload(), whole.objective_path_, whole.importance_)
    again = booster.fit(streamed(X), y, weight)
    after = (again.scorer_payload(), again.objective_path_, again.importance_)
    assert_same(before, after)
    assert again.n_features_in_ == 4
    other, _ = drawn(100, seed=2)
    np.testing.assert_array_equal(again.decide(other), whole.decide(other))


def assert_same(one, other):
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), list(other.values())
    if isinstance(one, list | tuple):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
        return
    np.testing.assert_array_equal(one, other)


def test_parquet_is_read_row_group_by_row_group(tmp_path):
    X, y = drawn(55_000)
    columns = {f"x{i}": X[:, i] for i in (3, 2, 1, 0)}
    table = pa.table({**columns, "flag": X[:, 0] > 0, "label": y})
    missing = pa.array([None if np.isnan(x) else x for x in X[:, 2]], pa.float64())
    table = table.set_column(table.schema.get_field_index("x2"), "x2", missing)
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=9_000)
    names = ["x0", "x1", "x2", "x3", "flag"]
    rows = StreamedRows.of_parquet(tmp_path / "rows.parquet", names, batch_rows=4_000)
    assert len(rows) == 55_000
    whole = np.column_stack([X, X[:, 0] > 0])
    np.testing.assert_array_equal(rows[:], whole)
    assert max(len(block) for _, block in rows.blocks()) <= 4_000
    one = AdaBoostStumpClassifier(n_rounds=5).fit(whole, y == "ill")
    other = AdaBoostStumpClassifier(n_rounds=5).fit(rows, y == "ill")
    assert_same(one.scorer_payload(), other.scorer_payload())


def test_a_table_that_changes_while_it_is_read_is_no_table():
    X, y = drawn(30_000)
    passes = []

    def read():
        passes.append(1)
        yield X[: 30_000 if len(passes) < 3 else 20_000]

    booster = AdaBoostStumpClassifier(n_rounds=2, pos_label="ill")
    with pytest.raises(ValueError, match="this time only 20000 were"):
        booster.fit(StreamedRows(read, 30_000, 4), y)
    with pytest.raises(ValueError, match="this time only 0 were"):
        booster.fit(StreamedRows(lambda: [X], 29_999, 4), y[1:])


@pytest.mark.parametrize(
    ("booster", "changes", "error", "words"),
    [
        (
            AdaBoostStumpClassifier(max_bins=None, pos_label="ill"),
            {},
            ValueError,
            "max_bins=None",
        ),
        (
            AbstentionBoostingClassifier(early_stopping=True),
            {},
            ValueError,
            "early_stopping=False",
        ),
        (AbstentionTreeBoostingClassifier(), {}, ValueError, "early_stopping=False"),
        (GradientBoostingRejectClassifier(), {}, TypeError, "no streamed rows"),
        (AdaBoostStumpClassifier(), {"y": ["a", "b"]}, ValueError, "2 labels for"),
        (AdaBoostStumpClassifier(), {"weight": 0.0}, ValueError, "above 0"),
        (
            AdaBoostStumpClassifier(pos_label="ill"),
            {"cell": np.inf},
            ValueError,
            "infinite number",
        ),
    ],
)
def test_what_cannot_be_is_refused(booster, changes, error, words):
    X, y = drawn(21_000)
    X[20_500, 3] = changes.get("cell", 0.0)
    weight = np.ones(len(y))
    weight[7] = changes.get("weight", 1.0)
    with pytest.raises(error, match=words):
        booster.fit(streamed(X), changes.get("y", y), weight)
