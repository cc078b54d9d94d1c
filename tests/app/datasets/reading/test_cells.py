import math
import re

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from app.datasets.reading import cells
from app.datasets.reading.options import MISSING
from app.features.notation import Notation

MARKS = cells.Marks(MISSING)
NUMBERS = st.from_regex(
    r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf|Infinity|NaN)",
    fullmatch=True,
)


@given(st.lists(NUMBERS, min_size=1, max_size=5))
def test_every_text_of_the_number_grammar_is_read_as_python_reads_it(texts):
    texts = [text for text in texts if text.isascii()]
    values, wrong = cells.numbers(pa.array([f" {text}\t" for text in texts]), MARKS)
    assert wrong is None
    expected = [float(text) for text in texts]
    assert values.to_pylist() == [None if math.isnan(v) else v for v in expected]


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.integers(-(10**30), 10**30))))
def test_numbers_that_python_writes_come_back(values):
    read, wrong = cells.numbers(pa.array([repr(v) for v in values], pa.string()), MARKS)
    assert wrong is None
    assert read.to_pylist() == [float(v) for v in values]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_so_do_those_with_a_decimal_comma(values):
    texts = [repr(value).replace(".", ",") for value in values]
    read, wrong = cells.numbers(pa.array(texts, pa.string()), MARKS, Notation(","))
    assert wrong is None
    assert read.to_pylist() == values


AMOUNT = st.text("0123456789.,-+()eE \N{NO-BREAK SPACE}\N{MINUS SIGN}'", max_size=8)


@given(st.lists(st.text(max_size=6) | AMOUNT))
def test_a_cell_is_a_number_or_missing_or_told(texts):
    values, wrong = cells.numbers(pa.array(texts, pa.string()), MARKS)
    wrong = [False] * len(texts) if wrong is None else wrong.to_pylist()
    for text, value, bad in zip(texts, values.to_pylist(), wrong, strict=True):
        if bad:
            assert text.strip(" \t\n\v\f\r") not in MISSING
            assert value is None
        elif value is not None:
            digits = re.sub("[ \N{NO-BREAK SPACE}']", "", text)
            digits = digits.replace("\N{MINUS SIGN}", "-").replace("(", "-")
            assert float(digits.strip(")")) == value


def test_booleans():
    values, wrong = cells.booleans(
        pa.array(["true", " FALSE ", "?", "yes", "", "True"]), MARKS
    )
    assert values.to_pylist() == [True, False, None, None, None, True]
    assert wrong.to_pylist() == [False, False, False, True, False, False]


def test_categories_lose_only_the_spaces_around_them():
    values = cells.categories(pa.array([" a b ", "NA", "?!", "  "]), MARKS)
    assert values.to_pylist() == ["a b", None, "?!", None]
