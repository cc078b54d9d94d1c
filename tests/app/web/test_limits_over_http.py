"""The limits of a request on the real server, each with the error it gives."""

import socket

import pytest

from tests.app.trainings import inline, rows, training


@pytest.fixture(scope="module")
def tight(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("tight"),
        {
            "DEMUR_MAX_JSON_DEPTH": "10",
            "DEMUR_MAX_TRAINING_ROWS": "50",
            "DEMUR_MAX_DATASET_COLUMNS": "4",
            "DEMUR_MAX_CELL_BYTES": "20",
            "DEMUR_REQUEST_SECONDS": "2",
        },
        ("--no-worker",),
    ).start()
    yield service
    service.stop()


def training_of(n):
    return training(data=inline(rows(n)))


@pytest.mark.parametrize(
    ("path", "padding"),
    [
        ("/train", 0),
        ("/train", 2_000_000),
        # a large one starts a process, which may take longer than a request has here:
        # tests/app/predict/test_arena.py
        ("/predict", 0),
    ],
)
def test_a_body_that_is_nested_too_deeply(tight, path, padding):
    body = b'{"x":' * 11 + b"1" + b"}" * 11 + b" " * padding
    answer = tight.http.post(
        path, content=body, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 400
    assert answer.json()["type"] == "/problems/malformed-request"
    assert "DEMUR_MAX_JSON_DEPTH" in answer.json()["detail"]


def test_more_rows_than_a_training_may_have(tight):
    assert tight.http.post("/train", json=training_of(50)).status_code == 202
    refused = tight.http.post("/train", json=training_of(51))
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/data/rows"
    assert "DEMUR_MAX_TRAINING_ROWS" in refused.json()["detail"]


def test_more_columns_or_longer_texts_than_a_table_may_have(tight):
    request = training_of(20)
    table = request["data"]
    table["columns"] += ["a", "b"]
    table["rows"] = [[*row, 1.0, "\u00e9" * 10] for row in table["rows"]]
    assert tight.http.post("/train", json=request).status_code == 202
    table["rows"][7][3] += "x"
    refused = tight.http.post("/train", json=request)
    (error,) = refused.json()["errors"]
    assert (refused.status_code, error["pointer"]) == (422, "/data/rows/7/3")
    assert (error["row"], error["column"]) == (7, "b")
    assert "DEMUR_MAX_CELL_BYTES" in error["detail"]
    table["rows"] = [[*row[:3], None, 2.0] for row in table["rows"]]
    table["columns"].append("c")
    refused = tight.http.post("/train", json=request)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/data/columns"


@pytest.mark.parametrize("path", ["/train", "/predict"])
def test_a_client_that_stops_sending_is_not_waited_for(tight, path):
    host, port = tight.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as line:
        line.sendall(
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
            "Content-Type: application/json\r\n\r\n{".encode()
        )
        told = b""
        while part := line.recv(65536):  # until the server hangs up
            told += part
    assert told.startswith(b"HTTP/1.1 408 ")
    assert b"/problems/request-timeout" in told
