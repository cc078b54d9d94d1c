"""Laws of the encoding: what training learnt, and the same bits for one row."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.features.encoding import Encoder, encode_table
from app.features.feature import MAX_CATEGORIES, SPREAD, Feature
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.features.values import trimmed

ROWS = [
    [1.0, True, "red", None],
    [3.0, False, "blue", 2.0],
    [5.0, True, None, 4.0],
]
TABLE = Table.from_rows(["n", "b", "c", "m"], ROWS)


def test_numbers_booleans_and_categories_become_named_columns():
    schema = FeatureSchema.fit(TABLE)
    assert schema.encoded_names == (
        "n",
        "m",
        "b",
        "m is missing",
        "c = blue",
        "c = red",
        "c is missing",
    )
    matrix = encode_table(schema, TABLE).matrix
    np.testing.assert_allclose(matrix[:, 0], [-np.sqrt(1.5), 0, np.sqrt(1.5)])
    np.testing.assert_allclose(matrix[:, 1], [0, -1, 1])  # the median is the mean
    np.testing.assert_array_equal(matrix[:, 2], [1, 0, 1])
    np.testing.assert_array_equal(matrix[:, 3], [1, 0, 0])
    np.testing.assert_array_equal(matrix[:, 4:], [[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def test_trees_get_numbers_codes_and_nan():
    schema = FeatureSchema.fit(TABLE, missing_native=True)
    assert schema.encoded_names == ("n", "m", "b", "c")
    matrix = encode_table(schema, TABLE).matrix
    np.testing.assert_array_equal(
        matrix, [[1, np.nan, 1, 1], [3, 2, 0, 0], [5, 4, 1, np.nan]]
    )


@pytest.mark.parametrize("native", [False, True])
def test_what_training_never_saw_is_noted_row_by_row(native):
    schema = FeatureSchema.fit(TABLE, missing_native=native)
    table = Table.from_rows(
        ["n", "b", "c", "m"],
        [[2, True, "red", 1], [None, None, "green", 1], [1, True, None, None]],
    )
    encoded = encode_table(schema, table)
    assert set(encoded.notes) == {1}
    assert [(n.kind, n.column) for n in encoded.notes[1]] == [
        ("missing_value", "n"),
        ("missing_value", "b"),
        ("unseen_category", "c"),
    ]
    assert "green" not in " ".join(note.text for note in encoded.notes[1])
    if native:
        assert np.isnan(encoded.matrix[1, [0, 2, 3]]).all()
    else:
        assert np.isfinite(encoded.matrix).all()
        np.testing.assert_array_equal(encoded.matrix[1, 4:], 0)


def test_a_missing_category_is_noted_where_training_had_none():
    schema = FeatureSchema.fit(Table.from_rows(["c"], [["a"], ["b"]]))
    encoded = encode_table(
        schema, Table({"c": np.array([None], dtype=object)}, {"c": "categorical"})
    )
    assert [note.kind for note in encoded.notes[0]] == ["missing_value"]
    np.testing.assert_array_equal(encoded.matrix, [[0.0, 0.0]])


WHITE = st.text(" \t\n\v\f\r", max_size=3)


@given(
    names=st.lists(st.text(max_size=4).filter(trimmed), min_size=1, max_size=5),
    around=st.lists(st.tuples(WHITE, WHITE), min_size=5, max_size=5),
    native=st.booleans(),
)
def test_white_space_around_a_category_says_nothing(names, around, native):
    """CSV cells come without it: a row would mean something else in another format."""
    wide = [f"{a}{name}{b}" for name, (a, b) in zip(names, around, strict=False)]
    plain = [name.strip(" \t\n\v\f\r") for name in names]
    learnt = [
        FeatureSchema.fit(
            Table.from_rows(["c"], [[value] for value in column]),
            missing_native=native,
        )
        for column in (wide, plain)
    ]
    assert learnt[0] == learnt[1]
    encoder = Encoder(learnt[0])
    none = np.empty((len(names), 0))
    there, here = encoder.encode(none, [wide]), encoder.encode(none, [plain])
    np.testing.assert_array_equal(there.matrix, here.matrix)
    assert not there.notes
    assert not here.notes


@pytest.mark.parametrize("native", [False, True])
def test_a_category_learnt_with_white_space_is_known_without_it(native):
    """Versions before this one kept it; exact texts still come first."""
    feature = Feature("c", "categorical", categories=(" a", "b", "b "))
    encoder = Encoder(FeatureSchema((feature,), native))
    encoded = encoder.encode(np.empty((5, 0)), [[" a", "a", "b", "b ", " b"]])
    assert not encoded.notes
    codes = encoded.matrix[:, 0] if native else encoded.matrix.argmax(axis=1)
    np.testing.assert_array_equal(codes, [0, 0, 1, 2, 1])


@pytest.mark.parametrize("rows", [2, 3, 7])
@pytest.mark.parametrize("value", [7.0, 0.1, -1e300, 1e-320])
def test_a_constant_column_encodes_to_zero_whatever_comes(value, rows):
    # The mean of three times 0.1 is not 0.1: their spread is rounding.
    table = Table.from_rows(["a", "b"], [[value, True]] * rows)
    schema = FeatureSchema.fit(table)
    other = Table.from_rows(["a", "b"], [[123.0, False], [None, None]])
    np.testing.assert_array_equal(encode_table(schema, other).matrix, np.zeros((2, 2)))


def test_a_column_without_any_value_is_safe():
    table = Table.from_rows(["a", "x"], [[None, 1], [None, 2]])
    encoded = encode_table(FeatureSchema.fit(table), table)
    np.testing.assert_array_equal(encoded.matrix[:, [0, 2]], [[0, 1], [0, 1]])
    assert not encoded.notes


def test_the_median_and_the_more_frequent_answer_stand_for_what_is_missing():
    rows = [[0, True], [1, True], [100, False], [None, None]]
    table = Table.from_rows(["n", "b"], rows)
    schema = FeatureSchema.fit(table)
    assert [feature.impute for feature in schema.features] == [1.0, 1.0]
    matrix = encode_table(schema, table).matrix
    np.testing.assert_array_equal(matrix[3, :2], matrix[1, :2])
    rare = FeatureSchema.fit(Table.from_rows(["b"], [[False], [False], [True], [None]]))
    assert rare.features[0].impute == 0.0


def test_a_part_of_the_rows_keeps_the_types_of_all():
    table = Table.from_rows(["c", "b"], [["x", True], [None, None]]).take([1])
    schema = FeatureSchema.fit(table)
    assert [feature.type for feature in schema.features] == ["categorical", "boolean"]
    later = encode_table(schema, Table.from_rows(["c", "b"], [["x", True]]))
    assert [note.kind for note in later.notes[0]] == ["unseen_category"]
    assert np.isfinite(later.matrix).all()


def test_identifiers_and_free_text_are_refused_by_name():
    ids = Table.from_rows(["id"], [[f"p{i}"] for i in range(MAX_CATEGORIES + 1)])
    with pytest.raises(InvalidRequestError, match="256 different strings"):
        FeatureSchema.fit(ids)
    text = Table.from_rows(["t"], [["a"], ["b" * 1001]])
    with pytest.raises(InvalidRequestError) as caught:
        FeatureSchema.fit(text)
    assert (caught.value.errors[0].row, caught.value.errors[0].column) == (1, "t")
    with pytest.raises(InvalidRequestError, match="at least one row"):
        FeatureSchema.fit(Table.from_rows(["a"], []))
    with pytest.raises(InvalidRequestError, match="one feature column"):
        FeatureSchema.fit(TABLE, columns=[])


def test_every_column_that_cannot_be_a_feature_is_told_at_once():
    rows = [[f"p{i}", i, f"t{i}", "x" * 1001] for i in range(MAX_CATEGORIES + 1)]
    with pytest.raises(InvalidRequestError) as caught:
        FeatureSchema.fit(Table.from_rows(["id", "n", "ticket", "text"], rows))
    told = [(fault.column, fault.row) for fault in caught.value.errors]
    assert told == [("id", None), ("ticket", None), ("text", 0)]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.none()
RECORDS = st.lists(
    st.tuples(
        NUMBERS,
        st.booleans() | st.none(),
        st.sampled_from(["a", "b", "c", "ä"]) | st.none(),
        NUMBERS,
    ),
    min_size=1,
    max_size=30,
)
NAMES = ["n", "b", "c", "m"]
TYPES = {"n": "numeric", "b": "boolean", "c": "categorical", "m": "numeric"}


def _table(rows):
    table = Table.from_rows(NAMES, rows)
    columns = {
        name: values if table.types[name] == TYPES[name] else values.astype(object)
        for name, values in table.columns.items()
    }
    for name in ("b", "c"):
        columns[name] = np.array([row[NAMES.index(name)] for row in rows], dtype=object)
    return Table(columns, dict(TYPES))


@given(RECORDS, RECORDS, st.booleans())
def test_a_row_has_the_same_bits_alone_and_after_a_round_trip(fitted, asked, native):
    schema = FeatureSchema.fit(_table(fitted), missing_native=native)
    table = _table(asked)
    together = encode_table(schema, table)
    assert together.matrix.shape == (len(asked), schema.n_encoded)
    again = FeatureSchema.from_payload(json.loads(json.dumps(schema.to_payload())))
    assert again == schema
    if not native:
        assert np.isfinite(together.matrix).all()
        assert np.abs(together.matrix).max() <= SPREAD * (1 + 1e-9)
    for row in range(len(asked)):
        alone = encode_table(again, table.take([row]))
        assert alone.matrix.tobytes() == together.matrix[[row]].tobytes()
        assert alone.notes.get(0) == together.notes.get(row)


@given(RECORDS, RECORDS, st.booleans())
def test_a_row_of_plain_numbers_has_the_same_bits(fitted, asked, native):
    schema = FeatureSchema.fit(_table(fitted), missing_native=native)
    encoder = Encoder(schema)
    # Beside what was drawn: numbers on both sides of where they are held.
    reach = [(f.mean, SPREAD * f.scale) for f in schema.numbers]
    edges = [
        (n, True, "a", m)
        for factor in (-1.5, -1.0, -0.5, 0.5, 1.0, 1.5)
        for n, m in [[center + factor * width for center, width in reach[:2]]]
        if np.isfinite([n, m]).all()
    ]
    for n, b, c, m in [*asked, *edges]:
        told = encoder.encode_one([n, m, b, c])
        whole = encode_table(schema, _table([(n, b, c, m)]))
        if told is None:
            odd = None in {n, b, c, m} or whole.notes
            assert odd or any(
                abs(x - f.mean) >= SPREAD * f.scale * (1 - 1e-9) or abs(x) >= 1e100
                for x, f in zip((n, m, b), schema.numbers, strict=True)
            )
        else:
            assert not whole.notes
            assert np.array([told]).tobytes() == whole.matrix.tobytes()


@given(RECORDS)
def test_training_rows_have_no_notes_and_unit_spread(rows):
    table = _table(rows)
    schema = FeatureSchema.fit(table)
    encoded = encode_table(schema, table)
    assert not encoded.notes
    assert np.abs(encoded.matrix).max() <= np.sqrt(len(rows)) * (1 + 1e-6) + 1


def test_the_callers_numbers_are_left_alone():
    schema = FeatureSchema.fit(Table.from_rows(["a"], [[1], [2], [3]]))
    numbers = np.array([[1.5], [1e300]])
    before = numbers.copy()
    Encoder(schema).encode(numbers)
    np.testing.assert_array_equal(numbers, before)


def test_a_column_that_no_key_can_name_is_refused_wherever_it_comes_from():
    table = Table({'a"b': np.array([1.0])}, {'a"b': "numeric"})
    with pytest.raises(InvalidRequestError, match="double quote"):
        FeatureSchema.fit(table)
