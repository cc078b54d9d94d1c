import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solvers.rules import Band

numbers = st.floats(allow_nan=False, allow_infinity=False)
ends = st.floats(allow_nan=False)


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
    assert again.decide(values).tolist() == expected
    assert band.decide(values).dtype == np.int8


names = {1: "+1", -1: "-1", 0: "reject"}


@given(ends, ends, st.booleans(), st.sampled_from(["score", "probability"]))
@example(-np.inf, -np.inf, True, "score")
@example(np.inf, np.inf, True, "score")
@example(-np.inf, np.inf, True, "score")
@example(-np.inf, 0.5, False, "probability")
def test_a_threshold_that_does_not_exist_is_null_and_a_word_says_the_rest(
    a, b, closed, on
):
    band = Band(min(a, b), max(a, b), closed=closed, on=on)
    told = band.thresholds()
    assert set(told) == {"lower", "upper", "on", "always"}
    for name, end in (("lower", band.lower), ("upper", band.upper)):
        assert told[name] == (end if np.isfinite(end) else None)
    taken = {
        names[d] for d in band.decide([-1.7e308, -1.0, 0.0, 1.0, 1.7e308]).tolist()
    }
    if told["always"] is not None:
        assert taken == {told["always"]}
        assert told["lower"] is told["upper"] is None
    elif None in {told["lower"], told["upper"]}:
        never = "-1" if told["lower"] is None else "+1"
        assert (told["lower"] is None) != (told["upper"] is None)
        assert never not in taken


@pytest.mark.parametrize(
    ("stored", "always"),
    [
        ({"lower": None, "upper": -1.7976931348623157e308, "closed": True}, "+1"),
        ({"lower": 1.7976931348623157e308, "upper": None, "closed": True}, "-1"),
        ({"lower": None, "upper": None, "closed": True}, "reject"),
        ({"lower": -2.0, "upper": None, "closed": True}, None),
    ],
)
def test_a_band_of_an_earlier_release_is_told_alike(stored, always):
    band = Band.from_payload({"on": "score", **stored})
    assert band.always == always
    assert json.loads(json.dumps(band.payload())) == band.payload()


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
