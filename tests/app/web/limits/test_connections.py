"""Bodies that stall or never end, and connections that stay, at every operation."""

import re
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.app.web.limits.everywhere import FILES, QUERIES, speak


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
