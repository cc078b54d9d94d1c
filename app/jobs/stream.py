"""A job as server-sent events (WHATWG HTML, 9.2).

    retry: 2000

    id: 5d1f...            a digest of what is shown
    event: progress        the job, at once and at every change
    data: {...}

    : alive                when nothing has changed for a while

    id: 90ab...
    event: end             the job, once it has ended; then the stream ends too
    data: {...}

A client that comes back says with ``Last-Event-ID`` what it has seen: that is not sent
again. Has it seen the end, the answer is 204, which tells a browser to stay away.
"""

import hashlib
from collections.abc import AsyncIterator

from app.db.states import FINISHED
from app.jobs.feed import Feed
from app.jobs.schemas import JobAnswer

__all__ = ["MEDIA_TYPE", "event_id", "has_ended", "stream"]

MEDIA_TYPE = "text/event-stream"
RETRY_MS = 2000


def has_ended(job: JobAnswer) -> bool:
    """Tell whether nothing will change any more."""
    return job.status in FINISHED


def event_id(job: JobAnswer) -> str:
    """Return what names this state of a job."""
    return hashlib.sha256(job.model_dump_json().encode()).hexdigest()[:32]


async def stream(feed: Feed, job: JobAnswer, seen: str | None) -> AsyncIterator[bytes]:
    """Yield the events of a job, from ``job`` on, without what was ``seen``."""
    yield b"retry: %d\n\n" % RETRY_MS
    if event_id(job) != seen:
        yield _event(job)
    if has_ended(job):
        return
    async for changed in feed.follow(job):
        if changed is None:
            yield b": alive\n\n"
            continue
        yield _event(changed)
        if has_ended(changed):
            return


def _event(job: JobAnswer) -> bytes:
    kind = "end" if has_ended(job) else "progress"
    text = job.model_dump_json()  # one line
    return f"id: {event_id(job)}\nevent: {kind}\ndata: {text}\n\n".encode()
