"""The way to the process for very large requests: one process, a bounded queue."""

import asyncio
import logging
import multiprocessing
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

from app import logs
from app.blobs.interface import Place
from app.errors import ServiceUnavailableError
from app.journal.entries import Stamp
from app.predict.arena import Arena
from app.predict.at_once import Answered
from app.predict.bulk import Limits, Reply, answer_body, begin

__all__ = ["MOST_WAITING", "BulkPool"]

log = logging.getLogger(__name__)

MOST_WAITING = 8
"""Large requests at once, running or waiting; more are answered 503."""


class BulkPool:
    """Answer large bodies in a process that starts with the first of them.

    Parameters
    ----------
    database_url : str
    artifacts : Path or Remote
        The place of the artifacts.
    limits : Limits
    """

    def __init__(self, database_url: str, artifacts: Place, limits: Limits) -> None:
        self._arguments = (database_url, artifacts, limits)
        self._executor: ProcessPoolExecutor | None = None
        self._arena: Arena | None = None
        self._under_way: Future[Reply] | None = None
        self._waiting = 0
        self._turns = asyncio.Lock()

    async def answer(self, body: bytes, stamp: Stamp | None = None) -> Answered:
        """Return the answer to a body.

        With a ``stamp``, its lines of the prediction log as well.

        Raises
        ------
        ServiceUnavailableError
            When too many wait, or the process died under the request.
        ApiError
            What the request itself is to blame for.
        """
        if self._waiting >= MOST_WAITING:
            msg = (
                f"{MOST_WAITING} large requests are being answered already; try again"
                " in a second, or send fewer rows at once"
            )
            raise ServiceUnavailableError(msg)
        self._waiting += 1
        try:
            async with self._turns:
                return await self._answer(body, stamp)
        finally:
            self._waiting -= 1

    async def _answer(self, body: bytes, stamp: Stamp | None) -> Answered:
        executor = self._executor or self._start()
        # One that was given up (its task was cancelled) may still be in the arena.
        before, arena = self._under_way, self._arena
        shared = arena if before is None or before.done() else None
        kept = shared is not None and shared.put_body(body)
        try:
            future = executor.submit(answer_body, len(body) if kept else body, stamp)
            self._under_way = future
            reply = await asyncio.wrap_future(future)
        except BrokenProcessPool:
            if self._executor is executor:
                self._executor = None
            msg = "the process that answers large requests died; try again"
            raise ServiceUnavailableError(msg) from None
        if reply.size is None or shared is None:
            return reply.answered
        return replace(reply.answered, pieces=(shared.answer(reply.size),))

    def close(self) -> None:
        """End the process; requests that still wait are dropped."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    def _start(self) -> ProcessPoolExecutor:
        # Spawned: a forked child would inherit the server's sockets and threads.
        context = multiprocessing.get_context("spawn")
        self._under_way = self._arena = None
        try:
            self._arena = Arena(context)
        except OSError as error:
            log.warning("large requests go through a pipe: %s", error.strerror)
        self._executor = ProcessPoolExecutor(
            1,
            mp_context=context,
            initializer=_begin,
            initargs=(logs.level(), *self._arguments, self._arena),
        )
        return self._executor


def _begin(log_level: str, *arguments: Any) -> None:
    """Prepare a process that logs as this one does."""
    logs.set_up(log_level)
    begin(*arguments)
