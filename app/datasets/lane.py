"""Threads for work that takes long, apart from those that answer small requests.

What runs here spends its time in Arrow and NumPy, which let go of the interpreter; so
the event loop and the threads of other routes go on while a million rows are read.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import ParamSpec, TypedDict, TypeVar

from fastapi import FastAPI, Request

from app.errors import ServiceUnavailableError

__all__ = ["MOST_ADMITTED", "Lane", "lane_of", "with_lane"]

MOST_ADMITTED = 16
"""Files at once, on their way in or waiting; more are answered 503."""

P = ParamSpec("P")
T = TypeVar("T")


class Lane:
    """A few threads; work beyond them waits.

    Parameters
    ----------
    width : int
        How much runs at once.
    """

    def __init__(self, width: int) -> None:
        self._threads = ThreadPoolExecutor(width, thread_name_prefix="lane")
        self._admitted = 0

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Let a request in that will need the threads.

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

    async def run(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Await the result of a call in one of the threads."""
        return await self.start(function, *args, **kwargs)

    def start(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Future[T]:
        """Begin a call; its result may be awaited later."""
        call = self._threads.submit(function, *args, **kwargs)
        return asyncio.wrap_future(call)

    def close(self) -> None:
        """Let go of the threads; what has begun ends first."""
        self._threads.shutdown(cancel_futures=True)


class LaneState(TypedDict):
    """What the lifespan of a router adds to the state of its requests."""

    lane: Lane


@asynccontextmanager
async def with_lane(app: FastAPI) -> AsyncIterator[LaneState]:
    """Keep a lane as long as the service runs."""
    del app
    lane = Lane(2)
    try:
        yield {"lane": lane}
    finally:
        lane.close()


def lane_of(request: Request) -> Lane:
    """Return the lane of the service that serves this request."""
    lane: Lane = request.state.lane
    return lane
