"""The declared schema of POST /predict and its decoder say the same."""

import json

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import ApiError
from app.models.queries import ResolvedVersion
from app.predict.answer_openapi import COLUMNS_SCHEMA
from app.predict.at_once import answer, ask
from app.predict.envelope import Costs, Envelope, Grid, decode_grid, read_envelope
from app.predict.examples import (
    ANSWER_EXAMPLE,
    COLUMNS_EXAMPLE,
    EXPLAINED_EXAMPLE,
    REQUEST_EXAMPLES,
)
from app.predict.openapi import ANSWER_SCHEMA, REQUEST_SCHEMA
from app.predict.ready_model import ReadyModel
from tests.app.predict.conftest import served

DECLARED = jsonschema_rs.validator_for(REQUEST_SCHEMA)
SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2)


def _mostly(good, bad=SCALARS):
    """Return a strategy that is usually right and sometimes anything."""
    return st.one_of(good, good, good, good, bad)


COSTS = st.fixed_dictionaries(
    {
        name: _mostly(st.floats(0.5, 2.0), st.integers(-1, 1) | st.booleans())
        for name in Costs.__struct_fields__[1:]
    },
    optional={"false_positive": st.just(1.0), "else": st.just(1)},
)
BODIES = st.fixed_dictionaries(
    {},
    optional={
        "model": _mostly(st.just("pima")),
        "instances": _mostly(
            st.lists(_mostly(st.dictionaries(st.sampled_from("ab"), SCALARS)))
        ),
        "data": _mostly(
            st.fixed_dictionaries(
                {},
                optional={
                    "columns": _mostly(st.lists(_mostly(st.sampled_from(["a", "b"])))),
                    "rows": _mostly(st.lists(st.lists(SCALARS, max_size=2))),
                    "kind": _mostly(st.just("inline")),
                    "other": st.none(),
                },
            )
        ),
        "extra_columns": _mostly(st.sampled_from(["refuse", "ignore"])),
        "costs": _mostly(COSTS),
        "explain": _mostly(st.booleans()),
        "layout": _mostly(st.sampled_from(["rows", "columns"])),
        "fields": _mostly(
            st.none() | st.lists(_mostly(st.sampled_from(["decision", "case"])))
        ),
        "more": st.none(),
    },
)


def _accepted(body):
    """Read a body as far as it does not depend on the model."""
    try:
        envelope = read_envelope(json.dumps(body).encode())
        if "data" in body:
            decode_grid(envelope.data)
            rows = body["data"]["rows"]
            return isinstance(rows, list) and all(isinstance(r, list) for r in rows)
        rows = body["instances"]
        return isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    except ApiError:
        return False


@settings(max_examples=400)
@given(BODIES)
def test_decoder_and_schema_agree_on_what_does_not_depend_on_the_model(body):
    costs = body.get("costs")
    if isinstance(costs, dict) and any(
        isinstance(value, int | float) and value <= 0 for value in costs.values()
    ):
        return  # the sign of a price is checked with the model, not by the decoder
    assert DECLARED.is_valid(body) == _accepted(body)


def test_every_member_is_declared():
    declared = REQUEST_SCHEMA["properties"]
    assert set(declared) == set(Envelope.__struct_fields__)
    assert set(declared["data"]["properties"]) == set(Grid.__struct_fields__)
    (costs, _) = declared["costs"]["anyOf"]
    assert list(costs["properties"]) == list(Costs.__struct_fields__)


@pytest.mark.parametrize("name", list(REQUEST_EXAMPLES))
def test_the_examples_are_accepted(name):
    body = REQUEST_EXAMPLES[name]["value"]
    assert DECLARED.is_valid(body)
    assert _accepted(body)


def test_the_example_answer_fits_its_schema():
    jsonschema_rs.validate(ANSWER_SCHEMA, ANSWER_EXAMPLE)
    jsonschema_rs.validate(ANSWER_SCHEMA, EXPLAINED_EXAMPLE)
    jsonschema_rs.validate(COLUMNS_SCHEMA, COLUMNS_EXAMPLE)


def test_a_real_answer_has_the_members_of_the_example():
    model = served(numeric_only=True)
    ready = ReadyModel(model.to_payload())
    envelope = read_envelope(
        b'{"model": "pima", "instances": [{"glucose": 120, "bmi": 31.0}]}'
    )
    told = json.loads(
        answer(ask(ready, ResolvedVersion("pima", 1, "0" * 64), envelope)).body
    )
    jsonschema_rs.validate(ANSWER_SCHEMA, told)
    assert list(told) == list(ANSWER_EXAMPLE)
    assert list(told["predictions"][0]) == list(ANSWER_EXAMPLE["predictions"][0])


def test_the_document_tells_of_it(serve):
    running, _ = serve()
    document = running.http.get("/openapi.json").json()
    operation = document["paths"]["/predict"]["post"]
    assert {"200", "400", "404", "413", "415", "422", "503"} <= set(
        operation["responses"]
    )
    for status, response in operation["responses"].items():
        (content,) = response["content"].values()
        assert content["examples"], status
