"""GET /jobs/{id}/events on the real server."""

import asyncio
import json
import threading
from contextlib import contextmanager

import httpx

from app.jobs import feed, service
from app.jobs.schemas import job_answer
from app.jobs.stream import stream
from tests.waiting import until


@contextmanager
def events(server, job_id, last=None):
    """Open a stream; give an iterator over its (id, event, data)."""
    headers = {} if last is None else {"last-event-id": last}
    with (
        httpx.Client(base_url=server.url, timeout=30) as client,
        client.stream("GET", f"/jobs/{job_id}/events", headers=headers) as answer,
    ):
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        yield parsed(answer.iter_lines())


def parsed(lines):
    event = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            event[name] = value
        elif event:
            if "data" in event:
                yield event["id"], event["event"], json.loads(event["data"])
            event = {}


def queue(server, asked, **changes):
    return server.http.post("/train", json=asked(**changes)).json()["id"]


def test_a_training_is_followed_to_its_end(server, asked):
    job_id = server.train(asked(), wait=False)["id"]
    with events(server, job_id) as told:
        seen = list(told)
    kinds = [kind for _, kind, _ in seen]
    assert kinds[-1] == "end"
    assert set(kinds[:-1]) <= {"progress"}
    assert seen[-1][2] == server.job(job_id)
    assert seen[-1][2]["status"] == "succeeded"
    fractions = [job["progress"]["fraction"] for _, _, job in seen]
    assert fractions == sorted(fractions)
    assert len({name for name, _, _ in seen}) == len(seen), "nothing is told twice"

    with events(server, job_id) as told:
        assert list(told) == seen[-1:], "who comes late hears the end"
    with events(server, job_id, last=seen[0][0]) as told:
        assert list(told) == seen[-1:]
    answer = server.http.get(
        f"/jobs/{job_id}/events", headers={"last-event-id": seen[-1][0]}
    )
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_stream_goes_on_where_it_was(idle, asked):
    job_id = queue(idle, asked)
    with events(idle, job_id) as told:
        name, kind, job = next(told)
    assert (kind, job["status"]) == ("progress", "queued")
    with events(idle, job_id, last=name) as told:
        cancel = threading.Timer(0.5, idle.http.post, (f"/jobs/{job_id}/cancel",))
        cancel.start()
        rest = list(told)
        cancel.join()
    assert [(kind, job["status"]) for _, kind, job in rest] == [("end", "cancelled")]


def test_an_unknown_job_has_no_events(idle):
    answer = idle.http.get("/jobs/0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10/events")
    assert answer.status_code == 404


def test_streams_are_counted_and_forgotten_when_their_client_goes(idle, asked):
    job_id = queue(idle, asked)
    path = f"/jobs/{job_id}/events"
    with (
        events(idle, job_id) as a,
        events(idle, job_id) as b,
        events(idle, job_id) as c,
    ):
        for told in (a, b, c):
            next(told)
        refused = idle.http.get(path)
        assert refused.status_code == 503
        assert "DEMUR_MAX_EVENT_STREAMS" in refused.json()["detail"]

    def let_in():
        with idle.http.stream("GET", path) as answer:
            return answer.status_code == 200

    until(let_in)


def test_a_stop_waits_for_no_stream(start_service, asked):
    stopped = start_service("--no-worker")
    job_id = queue(stopped, asked)
    with events(stopped, job_id) as told:
        next(told)
        ending = threading.Thread(target=stopped.stop)
        ending.start()
        assert list(told) == []
        ending.join()
    assert "graceful shutdown exceeded" not in stopped.log()


def test_signs_of_life_come_when_nothing_changes(monkeypatch, database):
    monkeypatch.setattr(feed, "BEAT_EVERY_S", 0.05)
    with database.write() as session:
        job = job_answer(service.enqueue(session, model="m", request_body=b"{}"))
    stopping, told = threading.Event(), []

    async def follow():
        async for part in stream(feed.Feed(database, stopping, 1), job, None):
            told.append(part)
            if len(told) == 4:
                stopping.set()

    asyncio.run(follow())
    assert told[0].startswith(b"retry:")
    assert told[2:4] == [b": alive\n\n"] * 2
