"""Limits that hold for every operation the document tells of, on the real server."""

import gzip
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pyarrow as pa
import pytest

from tests.waiting import until

DEEP = b'{"x":' * 11 + b"1" + b"}" * 11
QUERIES = dict.fromkeys(("/predict/batch", "/cases/import"), "?model=1")
"""What is asked for before a body is read."""
FILES = {"/datasets", "/predict/batch"}
PROTOCOLS = ("/v2", "/invocations", "/endpoints")
"""Addresses that tell an error in their protocol's own words."""


@pytest.fixture(scope="module")
def service(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("everywhere"),
        {
            "DEMUR_MAX_JSON_DEPTH": "10",
            "DEMUR_REQUEST_SECONDS": "8",
            "DEMUR_UPLOAD_SECONDS": "8",
            "DEMUR_MAX_UPLOAD_BYTES": "4000000",
        },
        ("--no-worker",),
    ).start()
    # The process that reads files starts with the first one, however long that takes.
    until(
        lambda: (
            send(
                service, "POST", "/datasets", b"a\n1\n", content_type="text/csv"
            ).is_success
        )
    )
    yield service
    service.stop()


@pytest.fixture(scope="module")
def operations(service):
    """Return (method, path filled in, operation) of each."""
    document = service.http.get("/openapi.json").json()
    return [
        (method.upper(), re.sub(r"\{[^}]*\}", "1", path), operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


def speak(service, *parts):
    """Send raw bytes and return what comes until the server hangs up."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        for part in parts:
            line.sendall(part)
        told = b""
        while part := line.recv(65536):
            told += part
    return told


@pytest.fixture(scope="module")
def reading(operations):
    """Return (method, path) of each operation that reads JSON."""
    found = [
        (method, path)
        for method, path, operation in operations
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    ]
    assert len(found) >= 15
    assert any(path.startswith(PROTOCOLS) for _, path in found)
    return found


def send(service, method, path, body, **headers):
    """Send JSON, unless the headers say otherwise."""
    headers = {"content-type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    headers = {name: value for name, value in headers.items() if value is not None}
    address = path + QUERIES.get(path, "")
    return service.http.request(method, address, content=body, headers=headers)


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
    for path in ("/datasets", "/outcomes", "/cases/import"):
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


def test_every_body_that_stalls_is_answered_408_and_the_document_says_so(
    service, operations
):
    reading = [
        (method, path, operation)
        for method, path, operation in operations
        if "requestBody" in operation
    ]

    def stalled(method, path):
        query = QUERIES.get(path, "")
        kind = "text/csv" if path in FILES else "application/json"
        return speak(
            service,
            f"{method} {path}{query} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99"
            f"\r\nContent-Type: {kind}\r\n\r\n{{".encode(),
        )

    with ThreadPoolExecutor(len(reading)) as threads:
        told = threads.map(stalled, *zip(*[r[:2] for r in reading], strict=True))
        for (method, path, operation), answer in zip(reading, told, strict=True):
            assert "408" in operation["responses"], (method, path)
            status = answer.split()[1].decode()
            assert status in operation["responses"], (method, path, answer)
            # a batch is refused for its model before its body is there
            assert status == "408" or path in FILES, (method, path, answer)


def test_what_reads_no_body_never_says_408(operations):
    for method, path, operation in operations:
        if "requestBody" not in operation:
            assert "408" not in operation["responses"], (method, path)
        assert "503" in operation["responses"], (method, path)


CHUNK = b"10000\r\n" + b"a,b\n" * 16384 + b"\r\n"


@pytest.mark.parametrize("announced", [True, False], ids=["announced", "chunked"])
def test_a_file_refused_in_its_midst_is_told_so_and_the_connection_ends(
    service, announced
):
    """The body never ends: whoever waited for its end would wait for ever."""
    length = "Content-Length: 3000000" if announced else "Transfer-Encoding: chunked"
    head = (
        "POST /predict/batch?model=nobody HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: text/csv\r\n{length}\r\n\r\n"
    ).encode()
    body = [b"a,b\n" * 16384] * 4 if announced else [CHUNK] * 4
    told = speak(service, head, *body)
    assert told.startswith(b"HTTP/1.1 404 ")
    assert b"connection: close" in told.lower()
    assert b"/problems/unknown-model" in told


def test_a_chunked_file_that_is_too_long_is_refused(service):
    head = (
        b"POST /datasets?name=x HTTP/1.1\r\nHost: localhost\r\n"
        b"Content-Type: text/csv\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    told = speak(service, head, *[CHUNK] * 62)
    assert told.startswith(b"HTTP/1.1 413 ")
    assert b"DEMUR_MAX_UPLOAD_BYTES" in told


@pytest.mark.parametrize("path", ["/livez", "/models", "/datasets", "/openapi.json"])
def test_a_request_without_a_body_keeps_its_connection(service, path):
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        for _ in range(3):  # one after another on the same connection
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            told = b""
            while b"\r\n\r\n" not in told:
                told += line.recv(65536)
            head, _, rest = told.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 ")
            assert b"connection: close" not in head.lower()
            length = int(re.search(rb"content-length: (\d+)", head.lower())[1])
            while len(rest) < length:
                rest += line.recv(65536)


def test_a_post_without_a_body_keeps_its_connection(service):
    for headers in ({}, {"content-length": "0"}):
        answer = service.http.post("/jobs/1/cancel", headers=headers)
        assert answer.status_code == 404
        assert "connection" not in answer.headers
