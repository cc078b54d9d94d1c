"""Distances to reference rows: right, and the same bits in any company."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.guards.guards import Guards
from app.guards.nearest import NearestReference
from app.guards.outlier import MOST_REFERENCES, SHARE, OutlierGuard
from app.guards.tables import guarded_rows


def by_hand(rows, references):
    away = rows[:, None, :] - references[None]
    return np.sqrt((away**2).sum(axis=2)).min(axis=1)


@given(
    st.integers(1, 40), st.integers(1, 60), st.integers(1, 20), st.integers(0, 2**32)
)
def test_the_distance_is_that_to_the_nearest(n, m, d, seed):
    draw = np.random.default_rng(seed)
    references, rows = draw.normal(size=(m, d)), draw.normal(size=(n, d))
    found = NearestReference(references).distances(rows)
    np.testing.assert_allclose(found, by_hand(rows, references), rtol=1e-10, atol=1e-10)


@given(st.integers(1, 300), st.integers(1, 12), st.integers(0, 2**32))
def test_a_row_has_the_same_bits_alone_and_in_any_batch(m, d, seed):
    draw = np.random.default_rng(seed)
    nearest = NearestReference(draw.normal(size=(m, d)))
    rows = draw.normal(size=(50, d)) * 10.0 ** draw.integers(-3, 6, size=(50, 1))
    together = nearest.distances(rows)
    alone = np.concatenate([nearest.distances(row[None]) for row in rows])
    order = draw.permutation(50)
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(nearest.distances(rows[order]), together[order])


def test_a_reference_is_at_distance_zero():
    references = np.random.default_rng(0).normal(size=(200, 7)) * 1e5
    found = NearestReference(references).distances(references)
    np.testing.assert_array_equal(found, 0.0)


def table(n, seed=0):
    draw = np.random.default_rng(seed)
    values = [
        [
            None if i % 11 == 0 else float(draw.normal(120, 30)),
            float(draw.normal(1e6, 1e5)),
            7.0,
            bool(i % 2),
            ["Rome", "Oslo", "Lima"][i % 3],
        ]
        for i in range(n)
    ]
    return Table.from_rows(["glucose", "cells", "same", "smoker", "town"], values)


@pytest.mark.parametrize("native", [False, True], ids=["machine", "trees"])
def test_about_one_ordinary_row_in_twenty_is_an_outlier(native):
    features = FeatureSchema.fit(table(3000), missing_native=native)
    matrix = encode_table(features, table(3000)).matrix
    guard = OutlierGuard.fit(features, matrix, None, seed=0)
    assert guard.facts()["references"] == MOST_REFERENCES
    fresh = encode_table(features, table(3000, seed=1)).matrix
    assert guard.fired(fresh).mean() == pytest.approx(1 - SHARE, abs=0.02)
    assert not guard.fired(matrix[:0]).any()


@pytest.mark.parametrize("native", [False, True], ids=["machine", "trees"])
def test_distances_have_no_unit_and_read_missing_and_unseen_cells(native):
    features = FeatureSchema.fit(table(400), missing_native=native)
    matrix = encode_table(features, table(400)).matrix
    guard = OutlierGuard.fit(features, matrix, None, seed=0)
    odd = Table.from_rows(
        ["glucose", "cells", "same", "smoker", "town"],
        [
            [120.0, 1e6, 7.0, True, "Rome"],
            [None, 1e6, 7.0, None, None],
            [120.0, 9e6, 7.0, True, "Rome"],
            [120.0, 1e6, 7.0, True, "Mars"],
            [1e300, -1e300, 7.0, True, "Rome"],
        ],
    )
    distances = guard.distances(encode_table(features, odd).matrix)
    assert np.isfinite(distances).all()
    assert distances[0] < guard.threshold < distances[2]
    assert distances[2] == pytest.approx(80, rel=0.1)  # standard deviations
    assert distances[3] >= 1.0  # one of no category is one away from any of them
    assert distances[4] > 1e5


@pytest.mark.parametrize("native", [False, True], ids=["machine", "trees"])
@pytest.mark.parametrize("n", [3, 40, 3000])
def test_what_is_told_as_far_outside_is_what_the_guard_rejects(native, n):
    rows = table(n)
    bare = FeatureSchema.fit(rows, missing_native=native)
    matrix = encode_table(bare, rows).matrix
    guard = OutlierGuard.fit(bare, matrix, None, seed=0)
    features = guard.reach(bare, rows)
    assert not encode_table(features, rows).notes
    limits = {f.name: (f.least, f.most) for f in features.features}
    assert {name for name, (low, _) in limits.items() if low is None} == {
        "same",
        "smoker",
        "town",
    }
    ordinary = [130.0, 1.1e6, 7.0, False, "Oslo"]
    for j, name in enumerate(("glucose", "cells")):
        known = rows.columns[name][~rows.missing(name)]
        low, high = limits[name]
        assert low <= 2 * known.min() - known.max()
        assert high >= 2 * known.max() - known.min()
        inside = [np.nextafter(low, high), low, high, np.nextafter(high, low)]
        outside = [np.nextafter(low, -np.inf), np.nextafter(high, np.inf)]
        outside += [-1e18, 1e18, -1e308, 1e308]
        for x in [*inside, *outside]:
            row = [float(x) if k == j else v for k, v in enumerate(ordinary)]
            odd = Table.from_rows(rows.names, [row])
            encoded = encode_table(features, odd)
            told = [note.text for note in encoded.notes.get(0, ())]
            assert len(told) == (x in outside)
            if told:
                assert told[0].startswith(f"far_outside: {name} lies far outside")
                assert guard.fired(encoded.matrix).all()


def test_limits_tell_no_value_of_a_row():
    rows = Table.from_columns({"x": np.array([1.2345, 5.6789, 3.3, 4.4])})
    features = FeatureSchema.fit(rows)
    guard = OutlierGuard.fit(features, encode_table(features, rows).matrix, None, 0)
    (x,) = guard.reach(features, rows).features
    assert (x.least, x.most) == pytest.approx((-3.3, 10.2))


def test_the_first_guard_that_fires_is_the_reason():
    features = FeatureSchema.fit(table(400))
    matrix = encode_table(features, table(400)).matrix
    outlier = OutlierGuard.fit(features, matrix, None, seed=0)
    guards = Guards.from_payload(Guards("any", True, outlier).payload())
    odd = Table.from_rows(
        ["glucose", "cells", "same", "smoker", "town"],
        [
            [120.0, 1e6, 7.0, True, "Rome"],
            [120.0, 9e9, 7.0, True, "Rome"],
            [120.0, 9e9, 7.0, True, "Mars"],
            [None, 9e9, 7.0, True, "Mars"],
        ],
    )
    codes = guarded_rows(guards, features, odd, encode_table(features, odd))
    assert codes.tolist() == [0, 3, 2, 1]
    assert guarded_rows(Guards(), features, odd, encode_table(features, odd)) is None


def test_rows_of_the_group_of_a_reference_do_not_set_the_threshold():
    draw = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 5)
    points = np.repeat(draw.normal(size=(60, 2)), 5, axis=0)
    rows = Table.from_columns({"a": points[:, 0], "b": points[:, 1]})
    features = FeatureSchema.fit(rows)
    matrix = encode_table(features, rows).matrix
    fresh = draw.normal(size=(2000, 2))
    table_of = Table.from_columns({"a": fresh[:, 0], "b": fresh[:, 1]})
    others = encode_table(features, table_of).matrix
    alone = OutlierGuard.fit(features, matrix, None, 0)
    grouped = OutlierGuard.fit(features, matrix, groups, 0)
    assert alone.fired(others).mean() > 0.15  # brothers of references lie near them
    assert grouped.fired(others).mean() == pytest.approx(1 - SHARE, abs=0.05)
