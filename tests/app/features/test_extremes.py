"""Marks that hide among numbers are told, and honest tails are not."""

import numpy as np
import pytest

from app.features.dates import are_dates
from app.features.extremes import Extremes, outside

DRAW = np.random.default_rng(3)
NORMAL = DRAW.normal(size=396)


def odd(values, parts=1):
    seen = Extremes()
    for part in np.array_split(np.asarray(values, dtype=float), parts):
        seen.see(part)
    return dict(seen.odd())


@pytest.mark.parametrize("parts", [1, 2, 50])
@pytest.mark.parametrize(
    ("marks", "told"),
    [
        ([-999.0] * 4, {-999.0: 4}),
        ([1e308], {1e308: 1}),
        ([999.0, -999.0, -999.0], {999.0: 1, -999.0: 2}),
        ([-1e6] * 3, {-1e6: 3}),
        ([np.nan] * 5, {}),
        ([5.0], {}),
    ],
)
def test_what_stands_far_outside_is_counted(marks, told, parts):
    values = np.concatenate((NORMAL, marks))
    assert odd(DRAW.permutation(values), parts) == told


@pytest.mark.parametrize(
    "values",
    [
        DRAW.lognormal(sigma=1.5, size=2000),
        DRAW.integers(0, 100, size=500),
        [0, 1] * 50,
        [0, 1, 2] * 50,
        np.full(20, 3.0),
        [],
    ],
)
def test_honest_values_are_not_told(values):
    assert odd(values) == {}


def test_the_note_names_column_value_count_and_way_out():
    note = outside("x", [(-999.0, 4), (1e3, 1)])
    for words in ("'x'", "-999 stands 4 times", "1000 stands 1 time,", "missing="):
        assert words in note
    assert outside("x", []) is None


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (["2024-01-31", "2024-2-1"], True),
        (["2024-01-31T10:00:00Z", "2024-01-31 10:00"], True),
        (["2024-02-29 12:30:00.000000"], True),
        (["31.12.2023", "1.2.2024"], True),
        (["12/31/2023"], True),
        (["2024-01-31", "never"], False),
        (["2024"], False),
        (["1.2.3"], False),
        ([], False),
        (["3 Jan 2024", "03-JAN-24", "January 3, 2024", "Sept 3 2024 10:00"], True),
        (["3 Marble 2024"], False),
        (["May 24"], False),
        (["12 mar 123"], False),
    ],
)
def test_dates_are_told_from_other_texts(texts, dates):
    assert are_dates(texts) is dates


def test_very_large_numbers_are_told_in_few_digits():
    told = outside("x", [(1e308, 5), (-1e300, 1)])
    assert "1e+308 stands 5 times" in told
    assert len(told) < 200
