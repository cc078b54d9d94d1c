"""A late answer is given by the time limit; what comes after it goes nowhere."""

import asyncio
import json
from contextlib import suppress

import pytest
from starlette.requests import ClientDisconnect

from app.settings import Settings
from app.web.time_limit import TimeLimit


def ask(inner, body=(b"x",), path="/train", **seconds):
    """Return the status and the body of the one answer.

    ``scope["answered"]`` is set once there is one, by whom ever.
    """
    sent, parts = [], list(body)

    async def main():
        over = asyncio.Event()

        async def receive():
            if parts:
                part = parts.pop(0)
                more = bool(parts) or part.endswith(b"...")
                return {"type": "http.request", "body": part, "more_body": more}
            await over.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)
            if message["type"] == "http.response.body":
                over.set()

        settings = Settings(**{"request_seconds": 0.1, **seconds})
        scope = {"type": "http", "path": path, "headers": [], "method": "POST"}
        scope["answered"] = over
        await TimeLimit(inner, settings)(scope, receive, send)

    asyncio.run(main())
    starts = [m for m in sent if m["type"] == "http.response.start"]
    assert len(starts) == 1, sent
    return starts[0]["status"], b"".join(m.get("body", b"") for m in sent[1:])


async def read(receive):
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message["body"]
        if not message["more_body"]:
            return body


async def answer(send, body=b"{}"):
    await send({"type": "http.response.start", "status": 202, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def swift(scope, receive, send):
    await answer(send, await read(receive))


def test_what_is_in_time_passes():
    assert ask(swift, [b"a", b"b"], request_seconds=60) == (202, b"ab")


def test_a_body_that_does_not_come_is_408():
    status, body = ask(swift, [b"..."])
    problem = json.loads(body)
    assert (status, problem["type"]) == (408, "/problems/request-timeout")
    assert "DEMUR_REQUEST_SECONDS" in problem["detail"]


def test_a_client_that_hangs_up_is_answered_nothing_and_is_no_fault():
    sent = []

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.disconnect"}

    async def raising(scope, receive, send):
        await read(receive)

    async def answering(scope, receive, send):
        with suppress(ClientDisconnect):
            await read(receive)
        await answer(send)

    for inner in (raising, answering):
        scope = {"type": "http", "path": "/train", "headers": [], "method": "POST"}
        asyncio.run(TimeLimit(inner, Settings())(scope, receive, send))
    assert sent == []


def test_an_answer_that_does_not_come_is_503_and_the_work_ends_in_peace():
    finished = []

    async def slow(scope, receive, send):
        await read(receive)
        await scope["answered"].wait()
        finished.append("the work")
        await answer(send)

    status, body = ask(slow)
    assert (status, json.loads(body)["type"]) == (503, "/problems/too-slow")
    assert finished == ["the work"]


@pytest.mark.parametrize("path", ["/datasets", "/predict/batch"])
def test_files_have_a_time_of_their_own(path):
    async def slow(scope, receive, send):
        await asyncio.sleep(0.3)
        await swift(scope, receive, send)

    assert ask(slow, path=path)[0] == 202
    late = json.loads(ask(slow, path=path, upload_seconds=0.05)[1])
    assert "DEMUR_UPLOAD_SECONDS" in late["detail"]


def test_an_answer_that_has_begun_may_take_its_time():
    async def streaming(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(0.3)
        await send({"type": "http.response.body", "body": b"all"})

    assert ask(streaming) == (200, b"all")


def test_what_never_asks_for_a_body_is_slow_itself():
    async def slow(scope, receive, send):
        await scope["answered"].wait()
        await answer(send)

    status, body = ask(slow)
    assert status == 503
    assert json.loads(body)["type"] == "/problems/too-slow"
