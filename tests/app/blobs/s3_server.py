"""moto's S3 server as a process on a free port, and a proxy that fails as told."""

import http.client
import os
import socket
import subprocess
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.waiting import until

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / ".venv-objects" / "bin" / "moto_server"
BUCKET = "demur"
CUT = "cut"
KEYS = {
    "AWS_ACCESS_KEY_ID": "an-id",
    "AWS_SECRET_ACCESS_KEY": "a-secret-that-nobody-is-told",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


class S3Server:
    """A server that forgets everything when it dies, as moto does."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process: subprocess.Popen | None = None

    def start(self) -> "S3Server":
        self._process = subprocess.Popen(
            [PROGRAM, "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **KEYS},
        )
        until(self._makes_the_bucket)
        return self

    def _makes_the_bucket(self) -> bool:
        assert self._process.poll() is None, "moto's server has ended"
        there = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            there.request("PUT", f"/{BUCKET}")
            return there.getresponse().status == 200
        except OSError:
            return False
        finally:
            there.close()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def url(self, prefix: str, port: int | None = None) -> str:
        place = f"127.0.0.1:{port or self.port}"
        return f"s3://{BUCKET}/{prefix}?endpoint_override={place}&scheme=http"


_OF_THE_CONNECTION = {"host", "content-length", "transfer-encoding", "expect"}


class Asked(NamedTuple):
    """A request as the proxy sees it."""

    method: str
    path: str


class Handler(BaseHTTPRequestHandler):
    """Asks the server of its proxy, unless that fails the request."""

    protocol_version = "HTTP/1.1"
    proxy: "Proxy"

    def log_message(self, *_):
        pass

    def pass_on(self) -> None:
        body = b"".join(self.chunks())
        what = self.proxy.fails(Asked(self.command, self.path))
        if isinstance(what, tuple):
            status, code = what
            said = f"<Error><Code>{code}</Code><Message>no</Message></Error>"
            self.answer(status, {}, said.encode())
            return
        own = self.headers.items()
        there = http.client.HTTPConnection("127.0.0.1", self.proxy.server.port)
        headers = {k: v for k, v in own if k.lower() not in _OF_THE_CONNECTION}
        there.request(self.command, self.path, body, headers)
        found = there.getresponse()
        answer = found.read()
        there.close()
        self.answer(found.status, dict(found.headers), answer, cut=what == CUT)

    def chunks(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            yield self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return
        while size := int(self.rfile.readline().split(b";")[0], 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    def answer(self, status, headers, answer, *, cut=False) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in {"connection", "content-length", "date"}:
                self.send_header(name, value)
        told = headers.get("Content-Length", len(answer))
        self.send_header("Content-Length", str(told))
        self.end_headers()
        self.wfile.write(answer[: len(answer) // 2] if cut else answer)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = pass_on  # noqa: N815


class Proxy:
    """Passes requests on to the server, but for what ``fails`` does with them.

    ``fails`` is given what was asked; it returns None to pass on, an HTTP status with
    S3's code to answer with, or ``CUT`` to send half of the answer.
    """

    def __init__(self, server: S3Server) -> None:
        self.server = server
        self.heal()
        handler = type("Handler", (Handler,), {"proxy": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def heal(self) -> None:
        self.fails: Callable[[Asked], object] = lambda _: None

    def break_down(self, answer: tuple[int, str]) -> None:
        self.fails = lambda _: answer

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def require_server() -> None:
    """Skip where there is no S3 server to start; never in CI."""
    if not PROGRAM.exists():
        reason = "no S3 server to start: make objects"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
