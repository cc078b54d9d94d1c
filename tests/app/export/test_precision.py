"""Thresholds for numbers of another precision split them as the given ones do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.export.precision import of_rounded_numbers, rounded_down

NUMBERS = st.floats(allow_nan=False)


def rounded(x):
    with np.errstate(over="ignore"):
        return np.float64(np.float32(x))


@given(NUMBERS, st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_number_goes_where_its_rounded_value_went(x, threshold):
    moved = of_rounded_numbers(np.array([threshold]))[0]
    assert (x <= moved) == (rounded(x) <= threshold)


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_the_numbers_beside_a_moved_threshold_go_where_they_went(threshold):
    moved = of_rounded_numbers(np.array([threshold]))[0]
    beside = [moved, np.nextafter(moved, np.inf), np.nextafter(moved, -np.inf)]
    for x in beside:
        assert (x <= moved) == (rounded(x) <= threshold)


@given(st.floats(allow_nan=False, width=32), NUMBERS.filter(np.isfinite))
def test_single_numbers_are_split_alike_by_a_threshold_of_single_precision(x, of):
    with np.errstate(over="ignore"):
        low = rounded_down(np.array([of]), "float32")[0]
    assert (np.float32(x) <= low) == (np.float64(x) <= of)
