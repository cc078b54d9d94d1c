"""The followers of jobs: one query serves all event streams of a process.

While anybody follows a job, one task reads all followed jobs in one query, a few times
a second, in a thread, and wakes the followers of those that have changed. Streams end
by themselves when the service stops, so that a stop waits for none of them, and after
``LONGEST_S`` (a client resumes where it was).
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from app.db.session import Database
from app.db.watch import SilentDatabaseError
from app.errors import ServiceUnavailableError
from app.jobs import queries
from app.jobs.schemas import JobAnswer, job_answer

__all__ = ["Feed"]

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.25
BEAT_EVERY_S = 10.0
LONGEST_S = 600.0


@dataclass(slots=True, eq=False)
class _Follower:
    job_id: str
    shown: JobAnswer
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Feed:
    """The streams of one process.

    Parameters
    ----------
    database : Database
    stopping : threading.Event
        Set when the service stops.
    most : int
        How many streams may be open.
    """

    def __init__(
        self, database: Database, stopping: threading.Event, most: int
    ) -> None:
        self.database, self.stopping, self.most = database, stopping, most
        self._followers: set[_Follower] = set()
        self._looking: asyncio.Task[None] | None = None

    def require_room(self) -> None:
        """Make sure that one more stream may be opened.

        Raises
        ------
        ServiceUnavailableError
            When too many are open, or the service stops.
        """
        if self.stopping.is_set():
            msg = "the service stops; try again in a second"
            raise ServiceUnavailableError(msg)
        if len(self._followers) >= self.most:
            msg = (
                f"{self.most} streams are open already (DEMUR_MAX_EVENT_STREAMS); "
                "ask GET /jobs/{id} instead, or try again"
            )
            raise ServiceUnavailableError(msg)

    async def follow(self, job: JobAnswer) -> AsyncIterator[JobAnswer | None]:
        """Yield a job at each change from ``job`` on; None as a sign of life."""
        follower = _Follower(job.id, job)
        self._followers.add(follower)
        until_s = time.monotonic() + LONGEST_S
        seen = job
        try:
            while not self.stopping.is_set() and time.monotonic() < until_s:
                if self._looking is None:
                    self._looking = asyncio.create_task(self._look())
                with suppress(TimeoutError):
                    await asyncio.wait_for(follower.woken.wait(), BEAT_EVERY_S)
                follower.woken.clear()
                changed = follower.shown != seen
                seen = follower.shown
                yield seen if changed else None
        finally:
            self._followers.discard(follower)

    async def _look(self) -> None:
        """Read what is followed until nobody follows anything."""
        try:
            while self._followers and not self.stopping.is_set():
                await asyncio.sleep(LOOK_EVERY_S)
                ids = {follower.job_id for follower in self._followers}
                try:
                    jobs = await run_in_threadpool(self._read, ids)
                except SilentDatabaseError:
                    continue  # that was told
                except SQLAlchemyError as error:
                    log.warning("followed jobs cannot be read: %s", type(error))
                    continue
                for follower in list(self._followers):
                    job = jobs.get(follower.job_id, follower.shown)
                    if job != follower.shown:
                        follower.shown = job
                        follower.woken.set()
        finally:
            self._looking = None
            for follower in self._followers:
                follower.woken.set()

    def _read(self, ids: Iterable[str]) -> dict[str, JobAnswer]:
        with self.database.read() as session:
            return {job.id: job_answer(job) for job in queries.find_all(session, ids)}
