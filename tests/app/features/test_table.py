"""A table reads JSON rows exactly or says which cell it cannot read."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.features.table import Table


def _refusal(names, rows):
    with pytest.raises(InvalidRequestError) as caught:
        Table.from_rows(names, rows)
    return caught.value


def test_types_are_read_off_the_values():
    table = Table.from_rows(
        ["age", "ok", "colour", "nothing"],
        [[1, True, "red", None], [2.5, None, None, None], [None, False, "blue", None]],
    )
    assert table.types == {
        "age": "numeric",
        "ok": "boolean",
        "colour": "categorical",
        "nothing": "numeric",
    }
    np.testing.assert_array_equal(table.columns["age"], [1.0, 2.5, np.nan])
    assert table.columns["ok"].tolist() == [True, None, False]
    assert table.missing("colour").tolist() == [False, True, False]
    assert table.missing("ok").tolist() == [False, True, False]
    assert table.values("age") == [1, 2.5, None]
    assert table.n_rows == 3


def test_rows_and_columns_can_be_chosen():
    table = Table.from_rows(["a", "b"], [[1, "x"], [2, "y"], [3, None]])
    part = table.take([2, 0]).without(["a"])
    assert part.names == ["b"]
    assert part.values("b") == [None, "x"]
    # A part keeps the type even where no value of the column is left.
    assert table.take(table.missing("b")).types["b"] == "categorical"


@pytest.mark.parametrize(
    ("column", "row", "words"),
    [
        ([1, "1"], 1, "a string in a column where the rows above have a number"),
        (["a", None, 2], 2, "a number in a column where the rows above have a string"),
        ([True, 1], 1, "a number in a column where the rows above have a boolean"),
        ([0, True], 1, "a boolean in a column where the rows above have a number"),
        ([1, [2]], 1, "a number, a boolean, a string or null"),
        ([1, {"secret": 1}], 1, "a number, a boolean, a string or null"),
        ([1, float("nan")], 1, "not finite"),
        ([1, float("-inf")], 1, "not finite"),
        ([1, 10**400], 1, "not finite"),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(column, row, words):
    error = _refusal(["first", "x"], [[0, value] for value in column])
    (fault,) = error.errors
    assert words in fault.detail
    assert (fault.row, fault.column) == (row, "x")
    assert fault.pointer == f"/data/rows/{row}/1"
    assert "secret" not in str(error)


def test_rows_of_another_width_are_all_named():
    error = _refusal(["a", "b"], [[1, 2], [1], [1, 2, 3]])
    assert [fault.row for fault in error.errors] == [1, 2]


def test_only_twenty_faults_are_listed():
    error = _refusal(["a"], [[1, 2]] * 50)
    assert len(error.errors) == 20
    assert "first 20" in error.detail


@pytest.mark.parametrize("name", ["", 'a"b', "a\\b", "a\nb", "x" * 201])
def test_a_column_name_that_no_key_can_match_is_refused(name):
    assert _refusal(["ok", name], []).errors[0].pointer == "/data/columns/1"


def test_a_name_given_twice_is_refused():
    assert "twice" in _refusal(["a", "a"], []).errors[0].detail


def test_an_empty_table_has_columns_and_no_rows():
    table = Table.from_rows(["a"], [])
    assert (table.names, table.n_rows) == (["a"], 0)


def test_whole_columns_are_read_as_rows_are():
    table = Table.from_columns(
        {
            "a": np.array([1, 2], dtype=np.int32),
            "b": np.array([1.0, np.nan]),
            "c": np.array(["x", None], dtype=object),
            "d": np.array(["x", np.nan], dtype=object),
            "e": np.array([True, False]),
        }
    )
    assert list(table.types.values()) == [
        "numeric",
        "numeric",
        "categorical",
        "categorical",
        "boolean",
    ]
    assert table.values("d") == ["x", None]
    with pytest.raises(InvalidRequestError, match="not finite"):
        Table.from_columns({"a": [1.0, np.inf]})
    with pytest.raises(InvalidRequestError, match="a: 1, b: 2"):
        Table.from_columns({"a": [1.0], "b": [1.0, 2.0]})


CELLS = {
    "numeric": st.floats(-1e12, 1e12) | st.integers(1 - 2**53, 2**53 - 1),
    "boolean": st.booleans(),
    "categorical": st.text("abAß☃1", min_size=1, max_size=5),
}


@given(st.data(), st.sampled_from(sorted(CELLS)))
def test_values_come_back_as_they_were(data, kind):
    column = data.draw(st.lists(CELLS[kind] | st.none(), min_size=1))
    table = Table.from_rows(["x"], [[value] for value in column])
    assert table.values("x") == column
    if any(value is not None for value in column):
        assert table.types["x"] == kind


@given(
    st.lists(st.sampled_from(["a", " a\t", "\u00a0", "", "b"]) | st.none(), min_size=1)
)
def test_texts_are_kept_as_they_are_compared_and_blank_ones_are_missing(column):
    table = Table.from_rows(["x"], [[value] for value in column])
    assert table.values("x") == [(value or "").strip() or None for value in column]


@pytest.mark.parametrize("large", [2**53, -(2**60), 10**300])
def test_whole_numbers_with_more_digits_than_a_float64_make_text(large):
    table = Table.from_rows(["x"], [[1], [large], [0.5], [None]])
    assert table.values("x") == ["1", str(large), "0.5", None]


def test_marks_are_missing_and_are_learnt():
    columns = {
        "n": np.array([1, -999, 2], dtype=object),
        "mixed": np.array(["n.a.", 1.5, 2], dtype=object),
        "t": np.array(["NA", " n.a. ", "-999.0"], dtype=object),
    }
    table = Table.from_columns(columns, marks=[-999, "n.a."])
    assert table.values("n") == [1, None, 2]
    assert table.values("mixed") == [None, 1.5, 2]
    assert table.values("t") == ["NA", None, None]
    assert table.marks == ("-999", "n.a.")
    more = table.marked(["NA", 2.0])
    assert more.values("n") == [1, None, None]
    assert more.values("t") == [None, None, None]
    assert more.take([0]).marks == ("-999", "n.a.", "NA", "2")
