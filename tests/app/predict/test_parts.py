"""Answering in parts: the same bytes, and bounded stretches of work."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.models.queries import ResolvedVersion
from app.predict.endpoint import _is_small
from app.predict.envelope import read_envelope
from app.predict.parts import answer_in_parts
from app.predict.ready import ReadyModel
from app.predict.work import answer, ask
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


@settings(deadline=None)
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


@settings(deadline=None)
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


def test_parts_that_take_too_long_get_smaller():
    _, pauses = _finish(answer_in_parts(_question(training_rows(64)), 16, 0.0))
    # 16 rows, 8, 4, 2 and then one by one
    assert pauses == 1 + 4 + (64 - 30)


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
