"""Bodies that POST /predict does not read: of no JSON, another type, too large."""

import json
import socket

import pytest

from tests.app.predict.refused import ROW, refused

JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b'{"model": "pima", "instances": []} x',
        b'{"model": "pima", "instances": [{"town": "\xff"}]}'[:30],
        b'{"model": "\xff", "instances": []}',
        b'{"model": "\\ud800", "instances": []}',
        b'{"model": "pima", "instances": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    ],
)
def test_what_is_no_json_is_malformed(client, body):
    assert refused(client, body, 400)["type"] == "/problems/malformed-request"


def twice(*places):
    """Return a body in which one key stands twice."""
    row = json.dumps(ROW)
    costs = (
        '{"false_positive": 1, "false_negative": 5, "reject_positive": 0.6,'
        ' "reject_negative": 0.3}'
    )
    grid = json.dumps({"columns": list(ROW), "rows": [list(ROW.values())]})
    whole = {
        "rows": f'{{"model": "pima", "instances": [{row}, {row}]}}',
        "costs": f'{{"model": "chow", "instances": [{row}], "costs": {costs}}}',
        "grid": f'{{"model": "pima", "data": {grid}}}',
    }
    shape, key = places
    value = "1.5" if key == "glucose" else '"pima"' if key == "model" else "1"
    return whole[shape].replace(f'"{key}":', f'"{key}": {value}, "{key}":', 1)


@pytest.mark.parametrize("size", [0, 100_000])
@pytest.mark.parametrize(
    ("shape", "key", "place"),
    [
        ("rows", "glucose", "/instances/0/glucose"),
        ("rows", "model", "/model"),
        ("costs", "false_negative", "/costs/false_negative"),
        ("grid", "model", "/model"),
    ],
)
def test_a_key_that_stands_twice_is_named(client, size, shape, key, place):
    body = twice(shape, key) + " " * size
    (fault,) = refused(client, body.encode(), 422)["errors"]
    assert fault["pointer"] == place
    escaped = body.replace(f'"{key}":', f'"{key[:-1]}\\u{ord(key[-1]):04x}":', 1)
    (fault,) = refused(client, escaped.encode(), 422)["errors"]
    assert fault["pointer"] == place


def test_colons_in_texts_and_names_are_no_keys(client):
    row = {**ROW, "town": "a:b::c"}
    body = json.dumps({"model": "pima", "instances": [row], "explain": False})
    answers = [
        client.post("/predict", content=sent.encode(), headers=JSON)
        for sent in (body, body.replace("a:b", "a\\u003ab"), "\ufeff" + body)
    ]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1


def test_text_that_is_no_utf8_is_refused(client):
    row = json.dumps({**ROW, "town": "Q"}).encode().replace(b"Q", b"\xff\xfe")
    body = b'{"model": "pima", "instances": [' + row + b"]}"
    (fault,) = refused(client, body, 422)["errors"]
    assert (fault["row"], fault["column"]) == (0, "town")


@pytest.mark.parametrize("body", [[], 1, "x", None])
def test_a_body_that_is_no_object(client, body):
    (fault,) = refused(client, body, 422)["errors"]
    assert (fault["pointer"], fault["detail"]) == ("", "an object is expected here")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD"])
def test_other_methods_are_405(client, method):
    answer = client.request(method, "/predict")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "OPTIONS, POST"


@pytest.mark.parametrize(
    "content_type",
    [
        "text/csv",
        "application/x-www-form-urlencoded",
        "application/json; charset=utf-16",
    ],
)
def test_other_content_is_415(client, content_type):
    refused(client, b"{}", 415, **{"content-type": content_type})


def test_no_content_type_is_415(client):
    assert client.post("/predict", content=b"{}").status_code == 415


@pytest.mark.parametrize(
    "content_type",
    ["application/json; charset=utf-8", "Application/JSON", "application/json ;a=b"],
)
def test_json_is_taken_however_it_is_spelt(client, content_type):
    answer = client.post(
        "/predict",
        content=json.dumps({"model": "pima", "instances": [ROW]}),
        headers={"content-type": content_type},
    )
    assert answer.status_code == 200


def _raw(port, head, *parts):
    """Send bytes as they are; return the answer's first line."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(head)
        try:
            for part in parts:
                connection.sendall(part)
        except OSError:
            pass  # refused before everything was sent
        return connection.recv(4096).split(b"\r\n")[0]


HEAD = (
    b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
)


def test_a_body_announced_too_large_is_413_before_a_byte_of_it(running):
    head = HEAD + b"Content-Length: 200001\r\n\r\n"
    assert b" 413 " in _raw(running.port, head)


def test_a_chunked_body_is_413_as_soon_as_it_is_too_large(running):
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert b" 413 " in _raw(running.port, head, *[chunk] * 4)


def test_a_client_that_hangs_up_harms_nobody(running, client):
    with socket.create_connection(("127.0.0.1", running.port), 10) as connection:
        connection.sendall(HEAD + b"Content-Length: 1000\r\n\r\n{")
    body = {"model": "pima", "instances": [ROW]}
    assert client.post("/predict", json=body).status_code == 200
