"""What is one category, one name and one mark, and what is another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.values import (
    MISSING,
    WHITE,
    category,
    is_number,
    marks_of,
    numbers_of,
    trimmed,
)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([1, 1.0, "1", "1.0", " 1\t", "\ufeff1.0\u00a0"], "1"),
        ([0.0, -0.0, 0, "0", "0.0", "-0.0"], "0"),
        ([1.5, "1.5"], "1.5"),
        ([-3, -3.0, "-3", "-3.0"], "-3"),
        ([1e16, "1e+16", 10**16], "10000000000000000"),
        ([True, "true", "True", "TRUE"], "true"),
        ([False, "false", "False", "FALSE"], "false"),
        (["\u00e9", "e\u0301", "\u00e9 "], "\u00e9"),
        (["01"], "01"),
        (["1.50"], "1.50"),
        (["1.00"], "1.00"),
        (["1e5"], "1e5"),
        (["+1"], "+1"),
        (["yes"], "yes"),
        (["Yes"], "Yes"),
        (["nan"], "nan"),
        ([12345678901234567890, "12345678901234567890"], "12345678901234567890"),
    ],
)
def test_spellings_of_one_category(values, name):
    assert set(map(category, values)) == {name}


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_a_number_and_what_programs_write_for_it_are_one(value):
    name = category(value)
    assert is_number(name)
    assert category(repr(value)) == category(name) == name
    if isinstance(value, float):
        assert float(name) == value
        assert category(np.float64(value)) == name


@given(st.text(), st.text(WHITE, max_size=3), st.text(WHITE, max_size=3))
def test_white_space_around_says_nothing(text, before, behind):
    assert category(before + text + behind) == category(text)
    assert trimmed(trimmed(text)) == trimmed(text)
    assert category(category(text)) == category(text)


def test_white_space_is_that_of_python_and_of_no_width():
    assert {chr(i) for i in range(0x110000) if chr(i).isspace()} < set(WHITE)
    assert "\ufeff" in WHITE


def test_marks_are_compared_as_categories():
    assert marks_of(MISSING) == set(MISSING)
    assert marks_of(["-999.0", " n.a. "]) == {"", "-999", "n.a."}
    assert numbers_of(["-999", "-999.0", "NA", "1e400", "0"]) == (-999.0, 0.0)
