"""Bodies over the limit are answered before they are read, however they are sent."""

import json
import socket
import time

import pytest

LIMIT = 4096


@pytest.fixture(scope="module")
def small(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("small"),
        {"DEMUR_MAX_BODY_BYTES": str(LIMIT)},
        ("--no-worker",),
    ).start()
    yield service
    service.stop()


def speak(service, *parts, pause_s=0.0):
    """Send raw bytes; return the answer's status and JSON."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as line:
        for part in parts:
            line.sendall(part)
            time.sleep(pause_s)
        answer = b""
        while chunk := line.recv(65536):
            answer += chunk
            head, _, body = answer.partition(b"\r\n\r\n")
            if body.endswith(b"}"):
                break
    return int(head.split()[1]), json.loads(body)


def head(path, *headers):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", *headers, "", ""]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("path", ["/train", "/predict", "/jobs/x/cancel"])
def test_an_announced_length_is_enough_to_refuse(small, path):
    status, problem = speak(small, head(path, "Content-Length: 100000000"))
    assert status == 413
    assert problem["type"] == "/problems/body-too-large"
    assert "4096" in problem["detail"]


@pytest.mark.parametrize("path", ["/train", "/predict"])
def test_a_chunked_body_is_refused_when_it_passes_the_limit(small, path):
    start = head(path, "Content-Type: application/json", "Transfer-Encoding: chunked")
    chunk = b"400\r\n" + b" " * 1024 + b"\r\n"
    status, problem = speak(small, start, *[chunk] * 8, pause_s=0.01)
    assert (status, problem["status"]) == (413, 413)


def test_a_client_in_the_midst_of_sending_reads_the_answer(small):
    for path in ("/train", "/predict"):
        answer = small.http.post(
            path,
            content=b" " * 3_000_000,
            headers={"content-type": "application/json"},
        )
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_at_the_limit_is_read(small):
    for extra, status in ((0, 422), (1, 413)):
        body = b"{}".ljust(LIMIT + extra)
        answer = small.http.post(
            "/train", content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code == status, answer.text


@pytest.mark.parametrize("length", ["-1", "abc", "1e9", "99999999999999999999999999"])
def test_a_strange_length_is_refused_and_never_a_500(small, length):
    host, port = small.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=120) as line:
        line.sendall(head("/train", f"Content-Length: {length}"))
        answer = line.recv(65536)
    assert answer.split()[1] in {b"400", b"413"}
    assert small.http.get("/livez").status_code == 200


RAW = {
    "empty": b"",
    "no json": b"{",
    "nan": b'{"model": NaN}',
    "infinity": b'{"model": "m", "x": Infinity}',
    "huge integer": b'{"model": ' + b"9" * 3000 + b"}",
    "deep": b"[" * 4000,
    "deep objects": b'{"a":' * 800,
    "no utf-8": b'{"model": "\xff"}',
    "null byte": b'{"model": "\\u0000"}',
    "lone surrogate": b'{"model": "\\ud800"}',
    "array": b"[]",
    "string": b'"x"',
    "number": b"1",
    "null": b"null",
}


@pytest.mark.parametrize("path", ["/train", "/predict"])
@pytest.mark.parametrize("name", RAW)
def test_nothing_that_can_be_sent_is_a_500(small, path, name):
    answer = small.http.post(
        path, content=RAW[name], headers={"content-type": "application/json"}
    )
    assert answer.status_code in {400, 404, 422}, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
