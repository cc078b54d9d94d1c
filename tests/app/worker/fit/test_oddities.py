"""A training tells what looks wrong in its columns, and leaves dates out."""

import pytest

from app.train.parsing import read_mapping
from app.train.target import read_sample
from app.worker.fit.oddities import oddities


def told(column):
    rows = [[cell, i % 7, ["yes", "no"][i % 2]] for i, cell in enumerate(column)]
    data = {"kind": "inline", "columns": ["x", "n", "y"], "rows": rows}
    submission = read_mapping(
        {
            "model": "m",
            "trainer": {"kind": "svm"},
            "data": data,
            "target": {"column": "y", "positive": "yes"},
        }
    )
    sample = read_sample(submission)
    return oddities(submission.table, sample), sample


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([*range(396), *[-99999] * 4], "-99999 stands 4 times"),
        ([*map(str, range(199)), "unknown"], "row 199 has the first that is none"),
        ([*map(str, range(30))] * 2, "all of its 60 values are numbers"),
        ([f"{i},5 %" for i in range(60)], "decimal commas, thousands, percent"),
        ([*(i / 8 for i in range(60)), 2**53 + 1], "row 60 has the first whole number"),
        ([7.0] * 60, "the same value, or none, stands in all rows of 'x'"),
        ([None] * 60, "the same value, or none"),
        (["a"] * 60, "the same value, or none"),
        ([True] * 60, "the same value, or none"),
        ([f"2024-01-{i % 28 + 1:02}" for i in range(60)], "holds dates"),
    ],
)
def test_a_column_that_looks_wrong_is_told(column, words):
    (warning,), _ = told(column)
    assert words in warning
    assert "'x'" in warning


CODES = [f"0{i}" for i in range(40)]


@pytest.mark.parametrize(
    "column",
    [
        list(range(50)),
        ["a", "b"] * 20,
        ["1", "2"] * 20,
        [True, False] * 20,
        CODES,
        [None, 1.0] * 20,
    ],
)
def test_nothing_is_told_of_plain_columns(column):
    warnings, sample = told(column)
    assert warnings == []
    assert sample.features == ("x", "n")


def test_dates_are_no_features():
    _, sample = told([f"2024-01-{i % 28 + 1:02}" for i in range(60)])
    assert sample.features == ("n",)
    assert sample.dates == ("x",)
