"""What is no body, or too much of one, is refused by every operation alike."""

import gzip
import socket
from contextlib import closing

import pyarrow as pa
import pytest

from tests.app.web.limits.everywhere import DEEP, FILES, PROTOCOLS, QUERIES, send
from tests.waiting import until


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
    ],
)
def test_what_is_no_json_is_415_wherever_json_is_read(service, reading, content_type):
    for method, path in reading:
        if path.startswith("/v2"):
            continue  # its clients send any content type, or none
        answer = send(service, method, path, b"{}", content_type=content_type)
        assert answer.status_code == 415, (method, path, answer.text)


PLAIN = b'{"no such key": 1}'
TWICE = b'{"x": 1, "it": {"twice": 1, "b": 2, "twice": 3}, "y": 1}'
PACKED = {
    "gzip": gzip.compress(TWICE),
    "zstd": pa.compress(TWICE, "zstd", asbytes=True),
}


def test_a_key_that_stands_twice_is_refused_and_named_wherever_json_is_read(
    service, reading
):
    for method, path in reading:
        if path == "/predict":
            continue  # looks at what it has understood: see its own tests
        for coding, packed in PACKED.items():
            answers = [
                send(service, method, path, TWICE),
                send(service, method, path, packed, content_encoding=coding),
                send(service, method, path, b"\xef\xbb\xbf" + TWICE),
            ]
            for answer in answers:
                assert answer.status_code == 422, (method, path, answer.text)
                if path.startswith(PROTOCOLS):
                    assert "twice" in answer.text, path
                else:
                    assert answer.json()["errors"][0]["pointer"] == "/it/twice"


def test_packed_and_marked_bodies_are_read_as_plain_ones(service, reading):
    for method, path in reading:
        plain = send(service, method, path, PLAIN)
        packed = gzip.compress(PLAIN)
        for body, headers in (
            (b"\xef\xbb\xbf" + PLAIN, {}),
            (PLAIN, {"content_type": "application/json; charset=UTF-8"}),
            (packed, {"content_encoding": "gzip"}),
            (pa.compress(PLAIN, "zstd", asbytes=True), {"content_encoding": "zstd"}),
        ):
            answer = send(service, method, path, body, **headers)
            assert answer.status_code == plain.status_code, (method, path, headers)
            assert answer.json().get("errors") == plain.json().get("errors")


def test_other_codings_and_bombs_are_refused_of_every_body(service, operations):
    bombs = {
        "gzip": gzip.compress(bytes(40_000_000), 1),
        "zstd": pa.compress(bytes(40_000_000), "zstd", asbytes=True),
    }
    for method, path, operation in operations:
        if "requestBody" not in operation:
            continue
        kind = next(iter(operation["requestBody"]["content"]))
        kind = "text/csv" if path in FILES else kind
        for coding in ("br", "deflate", "gzip, gzip"):
            answer = send(
                service, method, path, PLAIN, content_encoding=coding, content_type=kind
            )
            assert answer.status_code == 415, (method, path, answer.text)
            assert answer.headers["accept-encoding"] == "gzip, zstd"
        if path == "/predict/batch":
            continue  # is refused for its model before
        for coding, bomb in bombs.items():
            answer = send(
                service, method, path, bomb, content_encoding=coding, content_type=kind
            )
            assert answer.status_code == 413, (method, path, answer.text)


def test_files_are_read_packed_and_in_the_charset_that_they_name(service):
    text = "name,y\nJosé,1\nAna,0\n"
    told = set()
    for body, headers in (
        (text.encode(), {"content_type": "text/csv; charset=utf-8"}),
        (text.encode("latin-1"), {"content_type": "text/csv; charset=ISO-8859-1"}),
        (text.encode("utf-16"), {"content_type": "text/csv; charset=utf-16"}),
        (gzip.compress(text.encode()), {"content_encoding": "gzip"}),
    ):
        headers = {"content_type": "text/csv", **headers}  # noqa: PLW2901
        made = send(service, "POST", "/datasets", body, **headers)
        assert made.status_code == 201, made.text
        found = service.http.get(f"/datasets/{made.json()['id']}").json()
        told.add(str(found["preview"]))
    assert len(told) == 1
    assert "José" in told.pop()
    for path in ("/datasets", "/outcomes?model=m", "/cases/import"):
        refused = send(
            service, "POST", path, b"a", content_type="text/csv; charset=koi8-r"
        )
        assert refused.status_code == 415, refused.text


ROWS = {"/train", "/predict", "/cases", "/cases/import", "/outcomes"}
OF_ROWS = ("/evaluate", "/infer", "/invocations")


def test_what_is_large_without_rows_is_refused(service, reading):
    large = b'{"tags": [' + b'"a",' * 100_000 + b'"a"]}'
    for method, path in reading:
        if path not in ROWS and not path.endswith(OF_ROWS):
            answer = send(service, method, path, large)
            assert answer.status_code == 413, (method, path, answer.text)
    for beside in (
        b'{"search": {"C": [%b1]}}',
        b'{"data": {"columns": [%b1], "rows": []}}',
    ):
        answer = send(service, "POST", "/train", beside % (b"1," * 3_000_000))
        assert answer.status_code == 422
        assert "beside its rows" in answer.json()["detail"]


def test_clients_that_hang_up_leave_no_fault_and_no_trace(service, operations):
    host, port = service.url.removeprefix("http://").split(":")
    for method, path, operation in operations:
        if "requestBody" not in operation or path == "/predict/batch":
            continue
        kind = "text/csv" if path in FILES else "application/json"
        for length in ("Content-Length: 99", "Transfer-Encoding: chunked"):
            with closing(socket.create_connection((host, int(port)))) as line:
                address = path + QUERIES.get(path, "")
                line.sendall(
                    f"{method} {address} HTTP/1.1\r\nHost: localhost"
                    f"\r\n{length}\r\nContent-Type: {kind}\r\n\r\n".encode()
                )
                line.sendall(b'5\r\n{"a":\r\n')
    count = sum("requestBody" in operation for _, _, operation in operations) - 1
    log = service.data_dir / "log"
    until(lambda: log.read_text().count('"status": 499') >= 2 * count, log.read_text)
    assert '"status": 500' not in log.read_text()
    assert "Traceback" not in log.read_text()
    assert '"level": "error"' not in log.read_text()


def test_a_json_body_that_is_nested_too_deeply_is_refused_wherever_one_is_read(
    service, reading
):
    for method, path in reading:
        answer = send(service, method, path, DEEP)
        assert answer.status_code == 400, (method, path, answer.text)
        if path.startswith(PROTOCOLS):
            assert "DEMUR_MAX_JSON_DEPTH" in answer.text, path
            continue
        problem = answer.json()
        assert problem["type"] == "/problems/malformed-request", (method, path)
        assert "DEMUR_MAX_JSON_DEPTH" in problem["detail"], (method, path)
        assert problem["request_id"] == answer.headers["x-request-id"]
