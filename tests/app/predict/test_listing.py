"""Predictions by columns say what those by rows say, value for value."""

import json
from dataclasses import replace
from typing import get_args

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.artifacts.rating import Rating
from app.journal.entries import Entry, Stamp
from app.models.queries import ResolvedVersion
from app.predict.answer_openapi import CHOSEN_SCHEMA, COLUMNS_SCHEMA
from app.predict.at_once import answer, ask, has_more_keys
from app.predict.endpoint import LARGE_BYTES, SMALL_BYTES
from app.predict.envelope import Member, read_envelope
from app.predict.explain import Explained
from app.predict.parts import answer_in_parts
from app.predict.ready_model import ReadyModel
from tests.app.predict.conftest import COLUMNS, served, training_rows
from tests.app.predict.refused import faults, refused

VERSION = ResolvedVersion("m", 1, "0" * 64)
MODELS = {
    "priced": served(),
    "free": served(costs=None, labels=(1, 0)),
    "flags": served(labels=(True, False), seed=4),
    "rated": replace(served(), rating=Rating((0.2, 0.6), (-1.4, 0.4))),
}
READY = {name: ReadyModel(model.to_payload()) for name, model in MODELS.items()}
MEMBERS = get_args(Member)
PLAIN = [name for name in MEMBERS if name not in ("case", "explanation", "band")]
RATED = [*PLAIN, "band"]


def question(model, rows, entry=None, **more):
    sent = {"model": "m", "data": {"columns": COLUMNS, "rows": rows}, **more}
    body = json.dumps(sent).encode()
    envelope = read_envelope(body)
    asked = ask(READY[model], VERSION, envelope, entry)
    return asked, body, envelope


def told(model, rows, size=None, entry=None, **more):
    """Return the answer as data, and its bytes for numbers as they were written."""
    asked, _, _ = question(model, rows, entry, **more)
    if size is None:
        return answer(asked).body
    steps = answer_in_parts(asked, size)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value.body


def exactly(body):
    """Read JSON with each number as its digits."""
    return json.loads(body, parse_float=lambda digits: f"number {digits}")


def as_column(rows, name):
    values = [row[name] for row in rows]
    if rows and isinstance(values[0], dict):
        return {key: [value[key] for value in values] for key in values[0]}
    if rows and name in ("probability", "expected_cost", "expected_costs", "distances"):
        return None if all(value is None for value in values) else values
    return values


def strange(n, seed):
    """Return rows of which some are missing, unseen or far outside."""
    rows = training_rows(n, seed)
    for row, (j, value) in zip(
        rows[::3], [(3, "Atlantis"), (0, None), (1, 1e9)] * n, strict=False
    ):
        row[j] = value
    return rows


@given(
    st.sampled_from(list(MODELS)),
    st.integers(1, 70),
    st.integers(0, 1000),
    st.none() | st.integers(1, 80),
)
def test_columns_have_the_values_of_rows_digit_by_digit(model, n, seed, size):
    rows = strange(n, seed)
    by_rows = exactly(told(model, rows))
    by_columns = exactly(told(model, rows, size, layout="columns"))
    usual = RATED if model == "rated" else PLAIN
    wanted = {name: as_column(by_rows["predictions"], name) for name in usual}
    assert by_columns["predictions"] == wanted
    assert list(by_columns["predictions"]) == usual
    if size is None:
        by_rows.pop("predictions"), by_columns.pop("predictions")
        assert by_columns == by_rows
    jsonschema_rs.validate(
        COLUMNS_SCHEMA, json.loads(told(model, rows, layout="columns"))
    )


@given(
    st.lists(st.sampled_from(RATED), unique=True),
    st.sampled_from(["rows", "columns"]),
    st.none() | st.integers(1, 40),
)
def test_the_wanted_members_are_told_in_their_order(fields, layout, size):
    rows = strange(30, 1)
    whole = exactly(told("rated", rows, layout=layout))["predictions"]
    body = told("rated", rows, size, layout=layout, fields=fields)
    some = exactly(body)["predictions"]
    if layout == "rows":
        assert some == [{name: row[name] for name in fields} for row in whole]
        assert all(list(row) == fields for row in some)
        jsonschema_rs.validate(CHOSEN_SCHEMA, json.loads(body))
    else:
        assert some == {name: whole[name] for name in fields}
        assert list(some) == fields


@pytest.mark.parametrize("size", [None, 5])
def test_no_rows_are_columns_of_none(size):
    asked = exactly(told("priced", [], size, layout="columns"))
    assert asked["predictions"]["decision"] == []
    assert asked["predictions"]["distances"] == {"lower": [], "upper": []}
    assert asked["summary"]["n"] == 0


def test_members_that_a_request_does_not_have_are_null():
    for layout in ("rows", "columns"):
        body = told("priced", training_rows(2), layout=layout, fields=["case"])
        nothing = {"columns": {"case": None}, "rows": [{"case": None}] * 2}
        assert json.loads(body)["predictions"] == nothing[layout]


def test_every_member_can_be_asked_for():
    assert set(MEMBERS) == set(Explained.__struct_fields__)


def test_members_of_the_request_are_no_reason_to_look_for_keys_twice():
    rows = training_rows(3)
    more = {"layout": "columns", "fields": ["decision", "score"]}
    asked, body, envelope = question("priced", rows, **more)
    assert not has_more_keys(body, envelope, asked, 3)


@pytest.mark.parametrize("model", list(MODELS))
def test_the_log_has_the_same_lines(model):
    lines = []
    for layout in ("rows", "columns"):
        entry = Entry(Stamp("r", 1.0))
        told(model, strange(40, 3), entry=entry, layout=layout)
        assert entry.rows == 40
        lines.append(b"".join(entry.pack()))
    assert lines[0] == lines[1]
    assert lines[0]


@pytest.fixture(scope="module")
def client(serve):
    running, registry = serve()
    registry.add("pima", served())
    return running.http


@pytest.mark.parametrize("copies", [1, 40, 2500])
def test_a_body_of_any_size_is_answered_by_columns(client, copies):
    few = [dict(zip(COLUMNS, row, strict=True)) for row in strange(10, 2)]
    body = {"model": "pima", "instances": few * copies}
    size = len(json.dumps(body))
    assert (size > SMALL_BYTES, size > LARGE_BYTES) == (copies > 1, copies > 40)
    fields = ["score", "decision", "expected_costs", "warnings"]
    counted = answered(client)
    by_columns = client.post(
        "/predict", json={**body, "layout": "columns", "fields": fields}
    )
    by_rows = client.post("/predict", json={"model": "pima", "instances": few})
    assert by_columns.status_code == 200, by_columns.text
    rows = exactly(by_rows.content)["predictions"] * copies
    assert exactly(by_columns.content)["predictions"] == {
        name: as_column(rows, name) for name in fields
    }
    assert answered(client) - counted == 10 * (copies + 1)


def answered(client):
    lines = client.get("/metrics").text.splitlines()
    return sum(
        float(line.split()[-1])
        for line in lines
        if line.startswith("demur_predictions_total{")
    )


def test_what_is_no_member_is_refused_with_those_that_are(client):
    row = dict(zip(COLUMNS, training_rows(1)[0], strict=True))
    for change in ({"fields": ["decision", "odds"]}, {"fields": "score"}):
        (fault,) = faults(client, row, **change)
        assert fault["pointer"] == "/fields"
        for name in MEMBERS:
            assert name in fault["detail"]
    (fault,) = faults(client, row, layout="table")
    assert fault["pointer"] == "/layout"
    (fault,) = faults(client, row, fields=["explanation"])
    assert '"explain": true' in fault["detail"]
    asked = {"model": "pima", "instances": [row, {}], "layout": "columns"}
    problem = refused(client, asked, 422)
    assert {fault["row"] for fault in problem["errors"]} == {1}
