"""Answering in parts: the same bytes, and bounded stretches of work."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.models.queries import ResolvedVersion
from app.predict.at_once import answer, ask
from app.predict.endpoint import _is_small
from app.predict.envelope import read_envelope
from app.predict.parts import LEAST_ROWS, answer_in_parts, paced
from app.predict.ready_model import ReadyModel
from tests.app.predict.conftest import COLUMNS, served, training_rows

READY = ReadyModel(served().to_payload())
VERSION = ResolvedVersion("pima", 1, "0" * 64)


def _question(rows):
    body = {"model": "pima", "data": {"columns": COLUMNS, "rows": rows}}
    return ask(READY, VERSION, read_envelope(json.dumps(body).encode()))


def _finish(steps):
    pauses = 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, pauses
        pauses += 1


@given(st.integers(0, 70), st.integers(1, 80), st.integers(0, 1000), st.booleans())
def test_parts_make_the_answer_of_the_whole(n, size, seed, decoded):
    question = _question(training_rows(n, seed))
    whole = answer(question)
    parted, pauses = _finish(answer_in_parts(question, size, decoded=decoded))
    one, other = json.loads(whole.body), json.loads(parted.body)
    assert one["predictions"] == other["predictions"]
    assert one["summary"]["rejected"] == other["summary"]["rejected"]
    assert (one["summary"]["expected_cost"] is None) == (n == 0)
    if n:
        assert other["summary"]["expected_cost"] == pytest.approx(
            one["summary"]["expected_cost"], rel=1e-12
        )
    assert pauses == 1 + -(-n // size)


@given(
    st.sets(st.integers(0, 99), min_size=1, max_size=30),
    st.integers(1, 120),
    st.booleans(),
)
def test_faults_are_the_same_in_parts_and_at_once(bad, size, decoded):
    rows = training_rows(100)
    for row in bad:
        rows[row][0] = "x"
    question = _question(rows)
    with pytest.raises(InvalidRequestError) as whole:
        answer(question)
    with pytest.raises(InvalidRequestError) as parted:
        _finish(answer_in_parts(question, size, decoded=decoded))
    assert whole.value.errors == parted.value.errors
    assert whole.value.detail == parted.value.detail
    assert [fault.row for fault in whole.value.errors] == sorted(bad)[:20]


def test_parts_get_smaller_down_to_a_floor_and_larger_again():
    """Never in time: 16 rows, then the least; always in time: twice as many each."""
    _, pauses = _finish(answer_in_parts(_question(training_rows(64)), 16, 0.0))
    assert pauses == 1 + 1 + (64 - 16) // LEAST_ROWS
    _, pauses = _finish(answer_in_parts(_question(training_rows(64)), 8, 1e9))
    assert pauses == 1 + 4, "8, 16, 32, and the 8 that are left"


@given(
    rows_a_second=st.floats(1e2, 1e7),
    size=st.integers(LEAST_ROWS, 4096),
    hiccup=st.floats(0.0, 1e3),
)
def test_parts_follow_the_rate_both_ways_and_forget_a_hiccup(
    rows_a_second, size, hiccup
):
    wanted_s = 0.002
    size = paced(size, size / rows_a_second + hiccup, wanted_s)
    for _ in range(20):
        size = paced(size, size / rows_a_second, wanted_s)
    fitting = max(LEAST_ROWS, rows_a_second * wanted_s)
    assert LEAST_ROWS <= size <= fitting + 1
    assert size >= 0.85 * fitting - 1


@pytest.mark.parametrize(
    ("body", "small"),
    [
        (b'{"instances": [' + b'{"a": 1},' * 100 + b"]}", True),
        (b'{"data": {"rows": [' + b"[1]," * 3000 + b"]}}", False),
        (b'{"instances": [' + b"{}," * 3000 + b"]}", False),
        (b'{"instances": [{"a": "' + b"x" * 20_000 + b'"}]}', False),
    ],
)
def test_a_small_body_holds_few_rows_however_short_they_are(body, small):
    assert _is_small(body) == small
