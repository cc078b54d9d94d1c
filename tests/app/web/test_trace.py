"""A request that is given up from outside is still answered, once."""

import asyncio
import json

from app.health.metrics import Metrics
from app.web.trace import Trace

SCOPE = {"type": "http", "method": "GET", "path": "/x", "headers": []}


def given_up(begun: bool) -> tuple[list[dict], bool]:
    """Cancel a request; return what was sent, and whether the task ended cancelled."""
    sent: list[dict] = []
    reached = asyncio.Event()

    async def inner(scope, receive, send):
        del scope, receive
        if begun:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        reached.set()
        await asyncio.sleep(60)

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": True}

    async def run() -> bool:
        task = asyncio.create_task(Trace(inner, Metrics())(dict(SCOPE), receive, send))
        await reached.wait()
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    return sent, asyncio.run(run())


def test_one_without_an_answer_gets_a_problem():
    sent, cancelled = given_up(begun=False)
    assert not cancelled
    start, body = sent
    assert start["status"] == 503
    headers = dict(start["headers"])
    assert headers[b"content-type"] == b"application/problem+json"
    problem = json.loads(body["body"])
    assert problem["request_id"].encode() == headers[b"x-request-id"]


def test_one_whose_answer_has_begun_gets_no_second_one():
    sent, cancelled = given_up(begun=True)
    assert cancelled
    assert [message["type"] for message in sent] == ["http.response.start"]
