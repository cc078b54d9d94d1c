"""A stop finishes what has begun: SIGTERM in the midst of a request."""

import json
import signal
import socket

import httpx
import pytest

from tests.app.trainings import training
from tests.waiting import until

pytestmark = pytest.mark.thorough


def await_no_answer(service):
    """Wait until nobody new is let in."""

    def refused():
        try:
            httpx.get(f"{service.url}/livez", timeout=60)
        except httpx.TransportError:
            return True
        return False

    until(refused)


def test_a_request_that_has_begun_is_answered_and_what_it_did_stays(start_service):
    service = start_service("--no-worker")
    host, port = service.url.removeprefix("http://").split(":")
    body = json.dumps(training()).encode()
    head = (
        "POST /train HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nExpect: 100-continue\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(head)
        assert line.recv(65536).startswith(b"HTTP/1.1 100 "), "it has begun"
        line.sendall(body[:100])
        service.process.send_signal(signal.SIGTERM)
        await_no_answer(service)
        line.sendall(body[100:])
        answer = b""
        while part := line.recv(65536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 202 "), answer
    job_id = json.loads(answer.partition(b"\r\n\r\n")[2])["id"]
    assert service.stop() == 0
    service.start()
    assert service.job(job_id)["status"] == "queued"


def test_what_a_stop_cannot_wait_for_is_answered_as_a_problem(start_service):
    service = start_service("--no-worker")
    host, port = service.url.removeprefix("http://").split(":")
    head = (
        b"POST /datasets HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
        b"Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=60) as line:
        line.sendall(head)
        assert line.recv(65536).startswith(b"HTTP/1.1 100 "), "it has begun"
        line.sendall(b"x,y\n1,2\n")
        service.process.send_signal(signal.SIGTERM)
        answer = b""
        while part := line.recv(65536):
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 "), answer
    assert b"application/problem+json" in head
    assert json.loads(body)["type"] == "/problems/unavailable"
    assert "stops" in json.loads(body)["detail"]
    assert service.ended() == 0
    assert not any((service.data_dir / "datasets" / "incoming").iterdir())
    assert "Exception in ASGI application" not in service.log()
    assert "Traceback" not in service.log()
