"""What one client can take of the connections: heads, time, room, memory.

Every attack here is short and small, and each is judged by what others are answered
while it goes on, or by what the server keeps: nothing depends on the machine's speed.
"""

import json
import re
import resource
import socket
from contextlib import ExitStack, closing, suppress

import psutil
import pytest

from app.web.protocol import MOST_LINE_BYTES, MOST_LINES

HOST = b"Host: localhost\r\n"
ALIVE = b"GET /livez HTTP/1.1\r\n" + HOST + b"\r\n"
ROOM = 30


@pytest.fixture(scope="module")
def service(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("connections"),
        {
            "DEMUR_HEAD_SECONDS": "1",
            "DEMUR_UNREAD_SECONDS": "1",
            "DEMUR_MAX_CONNECTIONS": str(ROOM),
        },
        ("--no-worker",),
    ).start()
    yield service
    service.stop()


def connect(service):
    host, port = service.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def read_to_end(line):
    told = b""
    while part := line.recv(65536):
        told += part
    return told


def speak(service, *parts):
    """Send raw bytes, as long as they are taken; return what comes back."""
    with closing(connect(service)) as line:
        with suppress(ConnectionError):
            for part in parts:
                line.sendall(part)
        return read_to_end(line)


def problem(told):
    head, _, body = told.partition(b"\r\n\r\n")
    assert b"connection: close" in head.lower()
    assert b"application/problem+json" in head
    body = json.loads(body)
    assert int(head.split()[1]) == body["status"]
    return body["status"], body["type"].removeprefix("/problems/")


def is_alive(service):
    """Tell whether a new client is answered."""
    with closing(connect(service)) as line:
        line.sendall(ALIVE)
        return line.recv(65536).startswith(b"HTTP/1.1 200 ")


LINE = b"x-line: " + b"a" * (MOST_LINE_BYTES - 10)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([LINE], 200),
        ([LINE + b"a"], 431),
        ([LINE] * 3, 200),
        ([LINE] * 4, 431),
        ([b"a: b"] * (MOST_LINES - 2), 200),
        ([b"a: b"] * (MOST_LINES - 1), 431),
    ],
)
def test_a_head_is_bounded_by_line_in_all_and_in_number(service, lines, status):
    told = speak(
        service,
        b"GET /livez HTTP/1.1\r\n" + HOST + b"Connection: close\r\n",
        b"".join(line + b"\r\n" for line in lines) + b"\r\n",
    )
    assert int(told.split()[1]) == status
    if status == 431:
        assert problem(told) == (431, "head-too-large")


MEGABYTE = b"a" * (1 << 20)
CHUNKED = (
    b"POST /train HTTP/1.1\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n" + HOST + b"\r\n"
)
ENDLESS = {
    "address": (b"GET /", MEGABYTE),
    "name of a line": (b"GET / HTTP/1.1\r\n", MEGABYTE),
    "value of a line": (b"GET / HTTP/1.1\r\nx: ", MEGABYTE),
    "lines": (b"GET / HTTP/1.1\r\n", b"x: abc\r\n" * (1 << 17)),
    "empty lines": (b"\r\n" * (1 << 19),),
    "extension of a chunk": (CHUNKED + b"1;x=", MEGABYTE),
    "trailers": (CHUNKED + b"2\r\n{}\r\n0\r\n", b"x: abc\r\n" * (1 << 17)),
    "a trailer": (CHUNKED + b"2\r\n{}\r\n0\r\nx: ", MEGABYTE),
}


@pytest.mark.parametrize("parts", ENDLESS.values(), ids=ENDLESS)
def test_what_never_ends_is_refused_after_a_bounded_part_of_it(service, parts):
    with closing(connect(service)) as line:
        sent = 0
        with suppress(ConnectionError):
            for _ in range(40):  # 40 MB, were they taken
                for part in parts:
                    line.sendall(part)
                    sent += len(part)
                parts = parts[-1:]
        assert is_alive(service)
        status, _ = problem(read_to_end(line))
    assert status in {414, 431}


def test_a_trailer_is_no_header(service):
    told = speak(
        service,
        CHUNKED.replace(b"Host", b"Connection: close\r\nHost"),
        b"2\r\n{}\r\n0\r\nx-request-id: from-a-trailer\r\n\r\n",
    )
    assert told.startswith(b"HTTP/1.1 422 ")
    assert b"from-a-trailer" not in told


@pytest.mark.parametrize("sent", [b"G", b"GET /livez HTTP/1.1\r\nHost: loc"])
def test_half_a_head_is_waited_for_so_long(service, sent):
    assert problem(speak(service, sent)) == (408, "request-timeout")
    told = speak(service, ALIVE + sent)
    assert told.startswith(b"HTTP/1.1 200 "), "one on a connection that was used"
    assert problem(told[told.index(b"HTTP/1.1 408") :]) == (408, "request-timeout")


def test_a_connection_that_says_nothing_is_closed_without_a_word(service):
    assert speak(service) == b""


HALF = {
    "nothing": b"",
    "head": b"GET /livez HTTP/1.1\r\nHost: loc",
    "body": b"POST /train HTTP/1.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 99\r\n" + HOST + b"\r\n{",
    "kept alive": ALIVE,
}


@pytest.mark.parametrize("half", HALF.values(), ids=HALF)
def test_half_requests_beyond_the_room_cost_other_clients_nothing(service, half):
    lines_before = service.log().count("connections closed")
    with ExitStack() as stack:
        for k in range(3 * ROOM):
            line = stack.enter_context(closing(connect(service)))
            line.sendall(half)
            if k % 10 == 9:
                assert is_alive(service), f"beside {k + 1} half-sent requests"
        process = psutil.Process(service.process.pid)
        accepted = [c for c in process.net_connections() if c.status == "ESTABLISHED"]
        assert len(accepted) <= ROOM
    assert service.log().count("connections closed") <= lines_before + 1


def test_a_whole_request_keeps_its_place_when_room_is_made(service):
    """A prediction in work, beside more half-sent requests than there is room for."""
    body = b'{"model": "m", "instances": [' + b"{}," * 300_000 + b"{}]}"
    with ExitStack() as stack:
        working = stack.enter_context(closing(connect(service)))
        working.sendall(
            b"POST /predict HTTP/1.1\r\nContent-Type: application/json\r\n"
            b"Connection: close\r\nContent-Length: %d\r\n" % len(body) + HOST + b"\r\n"
        )
        working.sendall(body)
        for _ in range(2 * ROOM):
            stack.enter_context(closing(connect(service))).sendall(HALF["head"])
        assert read_to_end(working).startswith(b"HTTP/1.1 404 ")


def test_no_descriptors_are_a_pause_and_few_words(start_service):
    service = start_service("--no-worker")
    process = psutil.Process(service.process.pid)
    few = process.num_fds() + 5
    resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (few, few))
    with ExitStack() as stack:
        for _ in range(40):
            stack.enter_context(closing(connect(service))).sendall(HALF["head"])
        for _ in range(3):
            assert is_alive(service)
    log = service.log()
    assert log.count("\n") < 30, log
    assert "no descriptor" in log


def test_a_client_that_reads_nothing_holds_one_answer_and_is_left(service):
    process = psutil.Process(service.process.pid)
    speak(
        service, b"GET /openapi.json HTTP/1.1\r\nConnection: close\r\n" + HOST, b"\r\n"
    )
    before = process.memory_info().rss
    request = b"GET /openapi.json HTTP/1.1\r\n" + HOST + b"\r\n"
    with closing(connect(service)) as line:
        line.settimeout(0.5)
        with suppress(TimeoutError, ConnectionError):
            for _ in range(400):
                line.sendall(request * 2000)
        assert process.memory_info().rss - before < 24 << 20
        assert is_alive(service)
        line.settimeout(60)
        with suppress(ConnectionError):
            read_to_end(line)  # ends: the server hung up in the midst of an answer


def test_what_is_sent_ahead_is_answered_in_order(service):
    paths = [b"/livez", b"/jobs/%d", b"/models"] * 400
    requests = b"".join(
        b"GET "
        + (path % k if b"%" in path else path)
        + b" HTTP/1.1\r\n"
        + HOST
        + b"\r\n"
        for k, path in enumerate(paths)
    )
    last = b"GET /livez HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n"
    told = speak(service, requests + last)
    statuses = [int(found) for found in re.findall(rb"HTTP/1.1 (\d+) ", told)]
    assert statuses == [200, 404, 200] * 400 + [200]


OFFERS = [
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    b"Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
    b"upgrade: TLS/1.0, h2c\r\nconnection: keep-alive, Upgrade\r\n",
]


@pytest.mark.parametrize("offer", OFFERS, ids=["h2c", "websocket", "tls"])
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("size", [0, 40, 300_000])
def test_an_offer_of_another_protocol_is_passed_over(service, offer, chunked, size):
    body = b'{"model": "m"' + b" " * size + b"}"
    length = b"Content-Length: %d\r\n" % len(body)
    if chunked:
        body = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        length = b"Transfer-Encoding: chunked\r\n"
    head = HOST + b"Content-Type: application/json\r\n" + length + offer + b"\r\n"
    told = speak(
        service,
        b"POST /train HTTP/1.1\r\n" + head + body,
        b"GET /livez HTTP/1.1\r\n" + HOST + offer + b"\r\n",
        b"POST /predict HTTP/1.1\r\n" + head + body,
        b"GET /models HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n",
    )
    assert re.findall(rb"HTTP/1.1 (\d+) ", told) == [b"422", b"200", b"422", b"200"]
    assert told.count(b"no JSON") == told.count(b"is empty") == 0
    assert b"/problems/invalid-request" in told
    log = service.log().lower()
    assert "websocket" not in log
    assert "unsupported" not in log


def test_what_is_no_http_is_refused_as_a_problem(service):
    for sent in (b"hello\r\n\r\n", b"GET /livez HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02"):
        assert problem(speak(service, sent)) == (400, "malformed-request")
    tunnel = b"CONNECT other:80 HTTP/1.1\r\nHost: other:80\r\n\r\n"
    assert problem(speak(service, tunnel)) == (400, "malformed-request")


def test_nonsense_behind_a_request_does_not_cost_it_its_answer(service):
    told = speak(service, ALIVE + b"nonsense\r\n\r\n")
    assert told.startswith(b"HTTP/1.1 200 ")
