"""What the document says of the protocols' addresses, held against real answers."""

import re

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocols.openapi import TAG
from app.protocols.table import SKINS
from tests.app.protocols.conftest import ROWS
from tests.app.protocols.test_mlserver_infer import request_of

FEW = ROWS[:3]
RECORDS = [dict(zip(("glucose", "bmi", "smoker", "town"), r, strict=True)) for r in FEW]
MANY = 2_000_000


@pytest.fixture(scope="module")
def document(client):
    return client.get("/openapi.json").json()


@pytest.fixture(scope="module")
def told(document):
    """Return (method, path) and operation of everything that protocols answer."""
    return {
        (method.upper(), path): operation
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if TAG in operation["tags"]
    }


def test_every_address_of_every_protocol_is_told_and_no_other(told):
    addresses = [address for skin in SKINS for address in skin.addresses]
    found = set()
    for method, path in told:
        filled = re.sub(r"\{[^}]*\}", "1", path)
        (address,) = [a for a in addresses if a.pattern.fullmatch(filled)]
        assert method in address.acts
        found.add((method, address.route))
    assert found == {(m, a.route) for a in addresses for m in a.acts}


def test_an_operation_is_a_verb_and_names_the_parts_of_its_address(told):
    verbs = ("check", "describe", "infer", "invoke", "ping", "tell")
    for (_, path), operation in told.items():
        assert operation["operationId"].startswith(verbs)
        named = [part["name"] for part in operation["parameters"]]
        assert named == re.findall(r"\{([^}]*)\}", path)


def schema_of(document, method, path, answer):
    """Return the schema that an answer is told to have."""
    told = document["paths"][path][method.lower()]["responses"]
    kind = answer.headers["content-type"].partition(";")[0]
    schema = told[str(answer.status_code)]["content"][kind]["schema"]
    return {**schema, "components": document["components"]}


INFER, INVOKE = "/v2/models/{model}/infer", "/endpoints/{name}/invocations"
GOOD = request_of(FEW)
NAMED = {**GOOD, "outputs": [{"name": "costs"}, {"name": "decision_code"}], "id": "a"}
SPLIT = {"columns": list(RECORDS[0]), "data": FEW}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v2", None, 200),
        ("GET", "/v2/health/live", None, 200),
        ("GET", "/v2/health/ready", None, 200),
        ("GET", "/v2/models/{model}", None, 200),
        ("GET", "/v2/models/{model}/versions/{version}", None, 200),
        ("GET", "/v2/models/{model}/ready", None, 200),
        ("GET", "/v2/models/{model}/versions/{version}/ready", None, 200),
        ("POST", INFER, GOOD, 200),
        ("POST", INFER, NAMED, 200),
        ("POST", "/v2/models/{model}/versions/{version}/infer", GOOD, 200),
        ("POST", INFER, {"inputs": []}, 422),
        ("POST", INFER, {"inputs": [], "id": {"a": 1}}, 422),
        ("POST", "/invocations", {"dataframe_split": SPLIT}, 200),
        ("POST", "/invocations", {"dataframe_records": RECORDS}, 200),
        ("POST", INVOKE, {"instances": RECORDS}, 200),
        ("POST", INVOKE, {"inputs": RECORDS, "params": {}}, 200),
        ("POST", INVOKE, {"inputs": FEW}, 200),
        ("POST", INVOKE, {"instances": RECORDS, "params": {"a": 1}}, 422),
        ("POST", INVOKE, {"instances": RECORDS, "inputs": FEW}, 422),
        ("POST", INVOKE, [], 422),
        ("GET", "/ping", None, 200),
    ],
)
def test_a_request_and_its_answer_are_as_told(
    client, document, told, method, path, body, status
):
    filled = path.replace("{model}", "pima").replace("{name}", "pima")
    answer = client.request(method, filled.replace("{version}", "1"), json=body)
    assert answer.status_code == status, answer.text
    if path != "/ping":
        schema = schema_of(document, method, path, answer)
        jsonschema_rs.validate(schema, answer.json())
    if body is not None:
        sent = told[method, path]["requestBody"]["content"]["application/json"]
        components = {"components": document["components"]}
        fits = jsonschema_rs.is_valid({**sent["schema"], **components}, body)
        assert fits == (status == 200)


def test_errors_of_a_protocol_and_before_it_are_as_told(client, document):
    for method, path, parts, more, status in (
        ("GET", "/v2/models/{model}", "nobody", {}, 404),
        ("POST", INFER, "nobody", {"json": GOOD}, 404),
        ("POST", INVOKE, "nobody", {"json": {"instances": RECORDS}}, 404),
        ("POST", INVOKE, "pima", {"content": b"{", "headers": {}}, 400),
        ("POST", INFER, "pima", {"content": b"{"}, 400),
        ("POST", INVOKE, "pima", {"content": b"{}"}, 415),
        (
            "POST",
            INFER,
            "pima",
            {"json": {}, "headers": {"content-encoding": "br"}},
            415,
        ),
        (
            "POST",
            INVOKE,
            "pima",
            {"json": {}, "headers": {"content-encoding": "br"}},
            415,
        ),
        ("POST", INFER, "pima", {"content": bytes(40_000_000)}, 413),
    ):
        if status == 400:
            more["headers"] = {"content-type": "application/json"}
        filled = re.sub(r"\{[^}]*\}", parts, path)
        answer = client.request(method, filled, **more)
        assert answer.status_code == status, (path, answer.text)
        schema = schema_of(document, method, path, answer)
        jsonschema_rs.validate(schema, answer.json())


CELLS = st.none() | st.booleans() | st.integers(-5, 5) | st.text("ab", max_size=2)
TENSORS = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["glucose", "bmi"]) | CELLS,
        "shape": st.lists(st.integers(-1, 2), max_size=2) | CELLS,
        "datatype": st.sampled_from(["FP64", "BYTES", "FP128"]) | CELLS,
    },
    optional={"data": st.lists(CELLS, max_size=2), "parameters": CELLS | st.just({})},
)
REQUESTS = st.fixed_dictionaries(
    {"inputs": st.lists(TENSORS, max_size=2) | CELLS},
    optional={
        "id": CELLS,
        "parameters": st.just({"on_reject": "force"}) | CELLS,
        "outputs": st.lists(st.just({"name": "score"}) | CELLS, max_size=1) | CELLS,
    },
)


@given(REQUESTS)
def test_what_does_not_fit_the_schema_is_never_answered(client, document, body):
    schema = {"$ref": "#/components/schemas/V2InferRequest"}
    components = {"components": document["components"]}
    answer = client.post("/v2/models/flat/infer", json=body)
    if not jsonschema_rs.is_valid({**schema, **components}, body):
        assert answer.status_code == 422, (body, answer.text)
