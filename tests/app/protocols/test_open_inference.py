"""The Open Inference Protocol by its bytes, as specification and Triton have them."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocols.tensors import DTYPES
from tests.app.predict.conftest import COLUMNS
from tests.app.protocols.conftest import ROWS

INFER = "/v2/models/pima/infer"
KINDS = {"glucose": "FP64", "bmi": "FP64", "smoker": "BOOL", "town": "BYTES"}


def texts(values):
    return b"".join(
        struct.pack("<I", len(text)) + text for text in map(str.encode, values)
    )


def column(name):
    return [row[COLUMNS.index(name)] for row in ROWS]


def as_json(rows=40, **more):
    inputs = [
        {
            "name": name,
            "shape": [rows, 1],
            "datatype": kind,
            "data": column(name)[:rows],
        }
        for name, kind in KINDS.items()
    ]
    return {"inputs": inputs, **more}


def packed(**more):
    """Return body and headers as tritonclient sends them by default."""
    raws = {
        "glucose": np.array(column("glucose"), "<f8").tobytes(),
        "bmi": np.array(column("bmi"), "<f8").tobytes(),
        "smoker": np.array(column("smoker"), "?").tobytes(),
        "town": texts(column("town")),
    }
    inputs = [
        {
            "name": name,
            "shape": [40],
            "datatype": KINDS[name],
            "parameters": {"binary_data_size": len(raw)},
        }
        for name, raw in raws.items()
    ]
    asked = {"inputs": inputs, "parameters": {"binary_data_output": True}, **more}
    head = json.dumps(asked).encode()
    length = {"Inference-Header-Content-Length": str(len(head))}
    return head + b"".join(raws.values()), length


def infer(client, path=INFER, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    told = answer.json()
    return told, {output["name"]: output["data"] for output in told["outputs"]}


@pytest.fixture(scope="module")
def wanted(client):
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
    body = {"model": "pima", "instances": rows, "layout": "columns"}
    return client.post("/predict", json=body).json()


def test_tensors_say_what_predict_says(client, wanted):
    told, outputs = infer(client, **as_json(id="a-1"))
    rows = wanted["predictions"]
    assert told["id"] == "a-1"
    assert (told["model_name"], told["model_version"]) == ("pima", "1")
    assert list(outputs) == [
        *("decision", "label", "reject", "probability", "score"),
        *("expected_cost", "reason", "would_be"),
    ]
    assert [output["shape"] for output in told["outputs"]] == [[40, 1]] * 8
    for name in ("decision", "probability", "score", "expected_cost", "would_be"):
        assert outputs[name] == rows[name], name
    for name in ("label", "reason"):
        assert outputs[name] == [value or "" for value in rows[name]], name
    assert outputs["reject"] == [decision == "reject" for decision in rows["decision"]]
    assert 0 < sum(outputs["reject"]) < 40
    assert told["parameters"]["reject_option"] == "1"
    assert told["parameters"]["rejected"] == wanted["summary"]["rejected"]


def test_binary_tensors_in_and_out_are_those_of_json(client):
    body, headers = packed()
    answer = client.post(INFER, content=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/octet-stream"
    size = int(answer.headers["inference-header-content-length"])
    told, tail = json.loads(answer.content[:size]), answer.content[size:]
    _, outputs = infer(client, **as_json())
    for output in told["outputs"]:
        n = output["parameters"]["binary_data_size"]
        raw, tail = tail[:n], tail[n:]
        if output["datatype"] == "BYTES":
            assert raw == texts(outputs[output["name"]])
        else:
            dtype = DTYPES[output["datatype"]]
            assert np.frombuffer(raw, dtype).tolist() == outputs[output["name"]]
    assert tail == b""


def test_nan_as_clients_in_python_write_it_is_missing(client, wanted):
    """And in a text it is a text."""
    content = json.dumps(as_json(id='"NaN\\" NaN')).replace("null", "NaN")
    assert content.count("NaN") > 2
    told = client.post(INFER, content=content).json()
    assert told["id"] == '"NaN\\" NaN'
    outputs = {output["name"]: output["data"] for output in told["outputs"]}
    assert outputs["score"] == wanted["predictions"]["score"]


def test_outputs_that_are_asked_for_come_in_that_order(client, wanted):
    asked = [{"name": "costs"}, {"name": "decision_code"}, {"name": "decision"}]
    told, outputs = infer(client, **as_json(outputs=asked))
    assert list(outputs) == ["costs", "decision_code", "decision"]
    assert told["outputs"][0]["shape"] == [40, 3]
    priced = wanted["predictions"]["expected_costs"].values()
    assert np.reshape(outputs["costs"], (40, 3)).T.tolist() == list(priced)
    codes = {"+1": 1, "-1": -1, "reject": 0}
    assert outputs["decision_code"] == [codes[word] for word in outputs["decision"]]


def test_one_tensor_of_all_columns_and_of_each_datatype(client):
    rows = np.array([[120.0, 31.0], [90.0, np.nan], [200.0, 40.0]])
    body = {"model": "flat", "data": {"columns": ["glucose", "bmi"]}}
    body["data"]["rows"] = [[120, 31], [90, None], [200, 40]]
    predicted = client.post("/predict", json=body | {"layout": "columns"}).json()
    for datatype in ("FP64", "FP32", "FP16"):
        raw = rows.astype(DTYPES[datatype]).tobytes()
        tensor = {"name": "x", "shape": [3, 2], "datatype": datatype}
        tensor["parameters"] = {"binary_data_size": len(raw)}
        head = json.dumps({"inputs": [tensor]}).encode()
        headers = {"Inference-Header-Content-Length": str(len(head))}
        path = "/v2/models/flat/versions/1/infer"
        answer = client.post(path, content=head + raw, headers=headers)
        assert answer.status_code == 200, answer.text
        told = {one["name"]: one["data"] for one in answer.json()["outputs"]}
        assert told["score"] == predicted["predictions"]["score"]


def test_what_the_model_does_not_have_is_absent_and_never_nan(client):
    _, outputs = infer(client, "/v2/models/free/infer", **as_json())
    assert "expected_cost" not in outputs
    assert set(outputs["would_be"]) == {"1", "0"}
    metadata = client.get("/v2/models/free").json()
    assert [output["name"] for output in metadata["outputs"]] == list(outputs)
    assert {one["name"]: one["datatype"] for one in metadata["inputs"]} == KINDS


def test_a_client_that_cannot_wait_says_so(client):
    _, word = infer(client, **as_json())
    _, forced = infer(client, **as_json(parameters={"on_reject": "force"}))
    assert forced["label"] == word["would_be"]
    assert forced["reject"] == word["reject"]
    assert forced["decision"] == word["decision"]
    before = counted(client)
    answer = client.post(INFER, json=as_json(parameters={"on_reject": "error"}))
    assert answer.status_code == 422
    first = word["reject"].index(True)
    assert answer.json()["error"].startswith(f"row {first}: ")
    assert counted(client) == before, "what was not answered is not counted"
    accepted = word["reject"].index(False)
    few = as_json(parameters={"on_reject": "error"})
    for tensor in few["inputs"]:
        tensor["data"], tensor["shape"] = [tensor["data"][accepted]], [1]
    infer(client, **few)


def counted(client):
    lines = client.get("/metrics").text.splitlines()
    found = (line for line in lines if line.startswith("demur_predictions_total{"))
    return sum(float(line.split()[-1]) for line in found)


def test_rows_are_counted_under_the_route(client):
    before = counted(client)
    infer(client, **as_json())
    assert counted(client) == before + 40
    assert 'route="/v2/models/{model}/infer"' in client.get("/metrics").text


def test_the_server_and_its_models_tell_of_themselves(client):
    server = client.get("/v2").json()
    assert {"binary_tensor_data", "reject_option"} <= set(server["extensions"])
    assert client.get("/v2/health/live").json() == {"live": True}
    assert client.get("/v2/health/ready").status_code == 200
    model = client.get("/v2/models/pima/versions/1").json()
    assert (model["name"], model["versions"]) == ("pima", ["1"])
    assert client.get("/v2/models/pima/ready").json() == {"name": "pima", "ready": True}
    for path in ("/v2/models/nobody", "/v2/models/pima/versions/9/ready"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "GET /models" in answer.json()["error"]
    assert client.get(INFER).status_code == 405
    assert client.request("OPTIONS", INFER).headers["allow"] == "OPTIONS, POST"


@pytest.mark.parametrize(
    ("place", "change", "words"),
    [
        (0, {"shape": [39, 1]}, "39 values"),
        (0, {"shape": [-1]}, "negative"),
        (0, {"shape": [2**50]}, "too large"),
        (0, {"datatype": "FP128"}, "known are"),
        (0, {"datatype": "BOOL"}, "none of BOOL"),
        (0, {"datatype": "BOOL", "data": [True] * 40}, "numbers, not BOOL"),
        (0, {"datatype": "BOOL", "data": [None] * 40}, "numbers, not BOOL"),
        (2, {"data": [1] * 40}, "/inputs/2: a value is none of BOOL"),
        (0, {"datatype": "INT8", "data": [1000] * 40}, "out of the range"),
        (0, {"datatype": "BYTES", "data": ["s3cret"] * 40}, "'glucose': the column is"),
        (0, {"data": [[1e308 * 10] * 40]}, "no JSON"),
        (0, {"datatype": "FP32", "data": [1e200] * 40}, "not finite"),
        (1, {"name": "glucose"}, "given twice"),
        (1, {"name": "s3cret"}, "no such column"),
        (2, {"datatype": "FP64", "data": [3] * 40}, "smoker"),
        (3, {"data": [7] * 40}, "'town': the column is BYTES"),
        (3, {"datatype": "FP64", "data": [7] * 40}, "'town': the column is BYTES"),
    ],
)
def test_tensors_that_do_not_fit_are_refused_in_our_words(client, place, change, words):
    body = as_json()
    body["inputs"][place] |= change
    content = json.dumps(body)
    answer = client.post(INFER, content=content)
    assert answer.status_code in (400, 422), answer.text
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"inputs": []}, 422),
        ({"inputs": 1}, 422),
        ([], 422),
        (as_json(outputs=[{"name": "odds"}]), 422),
        (as_json(parameters={"on_reject": "maybe"}), 422),
    ],
)
def test_what_is_no_request_is_refused(client, body, status):
    answer = client.post(INFER, json=body)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_a_byte_of_bool_is_0_or_1(client):
    body, headers = packed()
    at = body.index(np.array(column("smoker"), "?").tobytes())
    for byte, status in ((b"\0", 200), (b"\1", 200), (b"\2", 422), (b"\xff", 422)):
        sent = body[:at] + byte + body[at + 1 :]
        answer = client.post(INFER, content=sent, headers=headers)
        assert answer.status_code == status, answer.text


def test_bytes_that_are_no_tensors_are_refused(client):
    body, headers = packed()
    size = int(headers["Inference-Header-Content-Length"])
    sent = [
        (body[:-1], headers),
        (body + b"x", headers),
        (body, {"Inference-Header-Content-Length": "x"}),
        (body, {"Inference-Header-Content-Length": str(len(body) + 1)}),
        (body, {"Inference-Header-Content-Length": str(size - 1)}),
        (body, {}),
        (body.replace(b"Oslo", b"\xff\xff\xff\xff"), headers),
        (body[:-8] + b"\xff" * 8, headers),
    ]
    for content, more in sent:
        answer = client.post(INFER, content=content, headers=more)
        assert answer.status_code in (400, 422), answer.text
        assert list(answer.json()) == ["error"]


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data())
def test_no_request_makes_the_service_fail(client, data):
    body = as_json(rows=2)
    tensor = data.draw(st.sampled_from(body["inputs"]))
    member = data.draw(st.sampled_from(["name", "shape", "datatype", "data"]))
    odd = {
        "datatype": st.sampled_from(["BYTES", *DTYPES]),
        "shape": st.lists(st.integers(-1, 3), max_size=3),
    }
    tensor[member] = data.draw(odd.get(member, JSONS) | JSONS)
    if data.draw(st.booleans()):
        tensor["parameters"] = data.draw(JSONS)
    answer = client.post(INFER, content=json.dumps(body))
    assert answer.status_code in (200, 400, 422), answer.text
