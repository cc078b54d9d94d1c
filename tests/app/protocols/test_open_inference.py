"""The Open Inference Protocol by its bytes, as specification and Triton have them."""

import json

import numpy as np
import pytest

from app.protocols.tensors import DTYPES
from tests.app.predict.conftest import COLUMNS
from tests.app.protocols.conftest import ROWS
from tests.app.protocols.tensors import INFER, KINDS, as_json, packed, texts


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
