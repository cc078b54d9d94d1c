"""Processes beside the server for files: a large one holds no small request up.

Reading a stranger's file takes long, holds the interpreter now and then, and may take
memory or, at worst, the process that does it. So it happens in processes of their own,
which start with the first file; the server hands them paths, and they answer with
facts. They yield to the server and end with it.
"""

import asyncio
import logging
import multiprocessing
import os
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Thread
from typing import Any, TypedDict, TypeVar

from fastapi import FastAPI, Request
from threadpoolctl import threadpool_limits

from app import logs
from app.errors import ServiceUnavailableError
from app.web.failures import translate

__all__ = ["MOST_ADMITTED", "Lane", "lane_of", "with_lane"]

log = logging.getLogger(__name__)

MOST_ADMITTED = 16
"""Files at once, on their way in or waiting; more are answered 503."""

_PROCESSES = 2
_NICENESS = 5

T = TypeVar("T")


class Lane:
    """The processes, and who may use them; it belongs to one event loop."""

    def __init__(self) -> None:
        self._processes: ProcessPoolExecutor | None = None
        self._admitted = 0

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Let a request in that brings a file.

        Raises
        ------
        ServiceUnavailableError
            When too many are in already.
        """
        if self._admitted >= MOST_ADMITTED:
            msg = f"{MOST_ADMITTED} files are being read already; try again in a second"
            raise ServiceUnavailableError(msg)
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Await the result of a call in one of the processes.

        Raises
        ------
        ServiceUnavailableError
            When the process died under the call.
        ApiError
            What the call raised.
        """
        processes = self._processes or self._start()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(processes, _called, function, arguments)
        except BrokenProcessPool:
            if self._processes is processes:
                self._processes = None
            msg = "the process that read the file died, most often for want of memory"
            raise ServiceUnavailableError(msg) from None

    def close(self) -> None:
        """End the processes; what waits is dropped."""
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)
            self._processes = None

    def _start(self) -> ProcessPoolExecutor:
        # Spawned: a forked child would inherit the server's sockets and threads.
        self._processes = ProcessPoolExecutor(
            _PROCESSES,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(logs.level(),),
        )
        return self._processes


def _begin(log_level: str) -> None:
    """Prepare a process; it ends when the server does, however that ends."""
    logs.set_up(log_level)
    Thread(target=_end_with_the_server, daemon=True).start()
    threadpool_limits(1)
    with suppress(OSError):
        os.nice(_NICENESS)


def _called(function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    """Return the result of a call, or raise what can cross the process border."""
    try:
        return function(*arguments)
    except Exception as error:
        problem = translate(error)
        if problem is not error:
            log.exception("reading a file failed")
        raise problem from None


def _end_with_the_server() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


class LaneState(TypedDict):
    """What the lifespan of a router adds to the state of its requests."""

    lane: Lane


@asynccontextmanager
async def with_lane(app: FastAPI) -> AsyncIterator[LaneState]:
    """Keep a lane as long as the service runs."""
    del app
    lane = Lane()
    try:
        yield {"lane": lane}
    finally:
        lane.close()


def lane_of(request: Request) -> Lane:
    """Return the lane of the service that serves this request."""
    lane: Lane = request.state.lane
    return lane
