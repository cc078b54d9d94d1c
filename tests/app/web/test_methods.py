"""HEAD wherever GET is, OPTIONS everywhere, 405 for the rest: each with ``Allow``."""

import re
import socket

import pytest


@pytest.fixture(scope="module")
def taken(server):
    """The methods of every path that the document tells of, filled in."""
    document = server.http.get("/openapi.json").json()
    told = {
        path: {method.upper() for method in operations}
        for path, operations in document["paths"].items()
    }
    filled = re.compile(r"\{[^}]*\}")
    return {filled.sub("1", path): methods for path, methods in told.items()}


def allowed(methods):
    more = {"OPTIONS", "HEAD"} if "GET" in methods else {"OPTIONS"}
    return ", ".join(sorted(methods | more))


def test_head_is_a_get_without_its_body(server, taken):
    pages = ["/docs", "/redoc", "/openapi.json", "/problems", "/docs/redoc.js"]
    asset = "/docs/assets/swagger-ui.css"
    reading = [path for path, methods in taken.items() if "GET" in methods]
    assert {"/livez", "/readyz", "/models", "/metrics"} <= set(reading)
    for path in (*reading, *pages, asset, "/nowhere"):
        head, get = server.http.head(path), server.http.get(path)
        assert (head.status_code, head.content) == (get.status_code, b""), path
        for name in ("content-type", "location", "cache-control"):
            assert head.headers.get(name) == get.headers.get(name), path
        if path not in ("/metrics", "/readyz") and get.status_code == 200:
            length = get.headers.get("content-length")
            assert head.headers.get("content-length") == length, path


def test_options_and_405_tell_what_is_taken(server, taken):
    for path, methods in taken.items():
        options = server.http.options(path)
        assert (options.status_code, options.content) == (204, b""), path
        assert options.headers["allow"] == allowed(methods), path
        for other in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - methods:
            refused = server.http.request(other, path)
            assert refused.status_code == 405, (other, path)
            assert refused.headers["allow"] == allowed(methods), (other, path)
            assert refused.json()["type"] == "/problems/method-not-allowed"


def test_an_address_of_its_own_is_none_that_is_filled_in(server):
    refused = server.http.delete("/cases/changes")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET, HEAD, OPTIONS"
    assert server.http.options("/nowhere").status_code == 404
    assert server.http.post("/livez").status_code == 405


def test_the_head_of_a_stream_is_no_stream(server):
    """A stream of events would go on until the job ends: its head ends at once."""
    job = server.http.post("/train", json=training(), timeout=60).json()["id"]
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        for path in (f"/jobs/{job}/events", "/livez"):
            line.sendall(f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            told = b""
            while b"\r\n\r\n" not in told:
                told += line.recv(65536)
            assert told.startswith(b"HTTP/1.1 200 ")
            assert told.endswith(b"\r\n\r\n")
    server.http.post(f"/jobs/{job}/cancel")


def training():
    return {
        "model": "m",
        "trainer": {"kind": "adaboost"},
        "data": {
            "kind": "inline",
            "columns": ["a", "y"],
            "rows": [[i, "yes" if i % 3 else "no"] for i in range(60)],
        },
        "target": {"column": "y", "positive": "yes"},
    }
