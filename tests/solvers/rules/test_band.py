import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from solvers.rules import Band

numbers = st.floats(allow_nan=False, allow_infinity=False)
ends = st.floats(allow_nan=False)


@settings(deadline=None)
@given(ends, ends, st.booleans(), st.lists(numbers, max_size=20))
@example(-np.inf, -np.inf, True, [0.0])
@example(np.inf, np.inf, False, [0.0])
def test_a_band_decides_as_its_definition_says_and_survives_json(a, b, closed, values):
    band = Band(min(a, b), max(a, b), closed=closed)
    expected = []
    for v in values:
        above = v >= band.upper if closed else v > band.upper
        expected.append(1 if above else -1 if v < band.lower else 0)
    again = Band.from_payload(json.loads(json.dumps(band.payload(), allow_nan=False)))
    assert band.decide(values).tolist() == expected
    # The largest finite float stands for an infinite end that JSON cannot say.
    inner = [v for v in values if abs(v) < 1.7e308]
    assert again.decide(inner).tolist() == band.decide(inner).tolist()
    assert band.decide(values).dtype == np.int8


def test_ties_reject_in_an_open_band_and_accept_in_a_closed_one():
    assert Band(-1.0, 1.0).decide([-1.0, 1.0]).tolist() == [0, 0]
    assert Band(-1.0, 1.0, closed=True).decide([-1.0, 1.0]).tolist() == [0, 1]
    assert Band(0.0, 0.0, closed=True).decide([-1e-9, 0.0]).tolist() == [-1, 1]


def test_what_is_no_number_is_rejected():
    assert Band(0.0, 0.0, closed=True).decide([np.nan]).tolist() == [0]
    on_pair = Band(-np.inf, np.inf, on="reject-function")
    assert on_pair.decide([np.nan, 1.0], [1.0, np.nan]).tolist() == [0, 0]


def test_the_reject_function_rejects_where_it_is_not_positive():
    band = Band(-np.inf, np.inf, on="reject-function")
    h, r = [2.0, -2.0, 2.0, -2.0, 0.0], [1.0, 1.0, 0.0, -1.0, 1.0]
    assert band.decide(h, r).tolist() == [1, -1, 0, 0, -1]
    with pytest.raises(ValueError, match="reject_scores"):
        band.decide(h)


few = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf])


@given(few, few, st.booleans(), st.one_of(few, st.just(np.nan)))
def test_one_value_is_decided_as_in_an_array(a, b, closed, value):
    band = Band(min(a, b), max(a, b), closed=closed)
    assert band.decision_of(value) == band.decide([value])[0]


@given(st.one_of(few, st.just(np.nan)), st.one_of(few, st.just(np.nan)))
def test_one_pair_is_decided_as_in_an_array(h, r):
    band = Band(-np.inf, np.inf, on="reject-function")
    assert band.decision_of(h, r) == band.decide([h], [r])[0]


@pytest.mark.parametrize(("lower", "upper"), [(1.0, 0.0), (np.nan, 0.0)])
def test_thresholds_that_cross_are_refused(lower, upper):
    with pytest.raises(ValueError, match="lower must not exceed upper"):
        Band(lower, upper)
