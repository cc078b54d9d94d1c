"""MLflow's scoring protocol by its bytes: the decisions are those of POST /predict."""

import pytest

from app.predict.endpoint import LARGE_BYTES
from tests.app.predict.conftest import COLUMNS, served
from tests.app.protocols.conftest import ROWS

RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
BODIES = {
    "split": {"dataframe_split": {"index": [0], "columns": COLUMNS, "data": ROWS}},
    "records": {"dataframe_records": RECORDS},
    "instances": {"instances": RECORDS},
    "inputs by name": {
        "inputs": {name: [row[name] for row in RECORDS] for name in COLUMNS}
    },
    "inputs by row": {"inputs": RECORDS},
    "inputs in order": {"inputs": ROWS, "params": None},
}


@pytest.mark.parametrize("path", ["/invocations", "/endpoints/pima/invocations"])
@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
def test_rows_are_decided_as_by_predict(client, path, body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    wanted = client.post("/predict", json={"model": "pima", "instances": RECORDS})
    assert answer.json() == wanted.json()
    assert all(next(iter(row)) == "decision" for row in answer.json()["predictions"])


def test_a_large_body_is_answered_too(client):
    rows = ROWS * 800
    by_name = {name: [row[j] for row in rows] for j, name in enumerate(COLUMNS)}
    summaries = []
    for body in (
        {"dataframe_split": {"columns": COLUMNS, "data": rows}},
        {"inputs": by_name},
        {"inputs": rows},
    ):
        answer = client.post("/invocations", json=body)
        assert len(answer.request.content) > LARGE_BYTES
        summaries.append(answer.json()["summary"])
    assert summaries[0]["n"] == 32_000
    assert summaries[1:] == summaries[:1] * 2


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, "dataframe_split"),
        ([], 422, "dataframe_split"),
        ({**BODIES["split"], **BODIES["records"]}, 422, "once"),
        ({"dataframe_records": [{**RECORDS[0], "town": 7}]}, 422, "column 'town'"),
        ({"inputs": {"glucose": [1], "bmi": []}}, 422, "lengths"),
        ({"inputs": {"glucose": 1}}, 422, "dataframe_split"),
        ({"inputs": 1}, 422, "dataframe_split"),
        ({"inputs": [1]}, 422, "object of columns"),
        ({"inputs": [ROWS[0], RECORDS[0]]}, 422, "row 1"),
        ({**BODIES["split"], "params": {"a": 1}}, 422, "parameters"),
    ],
)
def test_what_cannot_be_read_is_refused_as_mlflow_does(client, body, status, words):
    answer = client.post("/invocations", json=body)
    assert answer.status_code == status, answer.text
    assert answer.json()["error_code"] == "BAD_REQUEST"
    assert words in answer.json()["message"]


def test_other_refusals(client):
    nobody = client.post("/endpoints/nobody/invocations", json=BODIES["split"])
    assert nobody.status_code == 404
    assert nobody.json()["error_code"] == "RESOURCE_DOES_NOT_EXIST"
    text = client.post(
        "/invocations", content="a", headers={"content-type": "text/csv"}
    )
    assert text.status_code == 415
    twice = '{"dataframe_split": {"columns": [], "columns": [], "data": []}}'
    headers = {"content-type": "application/json"}
    answer = client.post("/invocations", content=twice, headers=headers)
    assert "given twice" in answer.json()["message"]


def test_the_server_answers_its_probes(client):
    assert client.get("/ping").status_code == 200
    assert client.head("/ping").content == b""
    assert client.get("/version").text[0].isdigit()


def test_without_a_default_model_the_address_says_what_to_do(serve):
    running, registry = serve()
    registry.add("pima", served())
    answer = running.http.post("/invocations", json=BODIES["split"])
    assert answer.status_code == 404
    assert "DEMUR_DEFAULT_MODEL" in answer.json()["message"]
    named = running.http.post("/endpoints/pima/invocations", json=BODIES["split"])
    assert named.status_code == 200


def test_nan_of_its_client_is_a_missing_number_and_a_text_stays_one(client):
    columns = b'"columns":["glucose","bmi","smoker","town"]'
    cells = {b"NaN": b'"NaN \\" NaN"', b"null": b'"NaN \\" NaN"'}
    answers = [
        client.post(
            "/invocations",
            content=b'{"dataframe_split":{%s,"data":[[120.5,%s,true,%s]]}}'
            % (columns, missing, town),
            headers={"content-type": "application/json"},
        )
        for missing, town in cells.items()
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    for broken in (b'{"instances":[NaN', b'{"inputs":["\\', b"NaNa", b'"NaN'):
        answer = client.post(
            "/invocations",
            content=broken,
            headers={"content-type": "application/json"},
        )
        assert answer.status_code in (400, 422)
