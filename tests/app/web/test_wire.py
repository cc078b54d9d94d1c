"""The head of an answer goes out with its body, and never waits for one."""

import asyncio
import socket
from threading import Thread

import pytest
import uvicorn

from app.web.protocol import BoundedProtocol
from app.web.wire import MOST_JOINED, JoiningTransport

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


class Recorder(asyncio.Transport):
    """What a socket was given, write by write."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data):
        self.written.append(bytes(data))

    def is_closing(self):
        return self.closed

    def close(self):
        self.closed = True

    def abort(self):
        self.closed = True

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


def written(steps):
    """Return what is written in some steps; None is a turn of the loop."""

    async def run():
        recorder = Recorder()
        transport = JoiningTransport(recorder, asyncio.get_running_loop())
        for step in steps:
            if step is None:
                await asyncio.sleep(0)
            else:
                transport.write(step)
        await asyncio.sleep(0)
        return recorder.written

    return asyncio.run(run())


BIG = b"x" * (MOST_JOINED + 1)


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([HEAD, b"body"], [HEAD + b"body"]),
        ([HEAD, BIG], [HEAD, BIG]),
        ([HEAD, None, b"event"], [HEAD, b"event"]),
        ([HEAD], [HEAD]),
        ([HEAD, b"", b"late"], [HEAD, b"late"]),
        ([b"a", b"b"], [b"a", b"b"]),
        ([HEAD, b"body", HEAD, b"body"], [HEAD + b"body"] * 2),
        ([HEAD, HEAD, b"x"], [HEAD + HEAD, b"x"]),
    ],
)
def test_what_is_written_is_joined_and_never_kept(steps, expected):
    assert written(steps) == expected
    whole = b"".join(step for step in steps if step is not None)
    assert b"".join(written(steps)) == whole


def test_what_is_held_is_written_before_the_end():
    async def run():
        recorder = Recorder()
        transport = JoiningTransport(recorder, asyncio.get_running_loop())
        transport.write(HEAD)
        transport.close()
        return recorder

    recorder = asyncio.run(run())
    assert recorder.written == [HEAD]
    assert recorder.closed


async def streaming(scope, receive, send):
    """Begin an answer at once; go on when the rest of the body is there."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    while (await receive())["more_body"]:
        pass
    await send({"type": "http.response.body", "body": b"done"})


def test_a_client_sees_the_head_of_an_answer_that_goes_on_later():
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(streaming, http=BoundedProtocol, lifespan="off", log_config=None)
    )
    thread = Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        with socket.create_connection(listener.getsockname(), timeout=60) as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200 OK")
            client.sendall(b"b")
            rest = b""
            while b"0\r\n\r\n" not in rest:
                rest += client.recv(1 << 16)
            assert b"done" in rest
    finally:
        server.should_exit = True
        thread.join(60)
        listener.close()
