"""Processes beside the server for files: a large one holds no small request up.

Reading a stranger's file takes long, holds the interpreter now and then, and may take
memory or, at worst, the process that does it. So it happens in processes of their own,
one file at a time each, which start when they are needed; the server hands them paths,
and they answer with facts. Their memory is bounded, they yield to the server, and they
end with it. One that works for nobody any more, since its client left, its time ran out
or the service stops, is killed before the file's folder goes.
"""

import asyncio
import logging
import multiprocessing
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import Any, NamedTuple, TypedDict, TypeVar

from fastapi import FastAPI, Request
from starlette.requests import ClientDisconnect
from threadpoolctl import threadpool_limits

from app import logs
from app.errors import ApiError, InvalidRequestError, ServiceUnavailableError
from app.room import bound_memory
from app.state import AppState
from app.web.failures import translate

__all__ = [
    "MOST_ADMITTED",
    "ReaderPool",
    "reader_pool_of",
    "until_gone",
    "with_reader_pool",
]

log = logging.getLogger(__name__)

MOST_ADMITTED = 16
"""Files at once, on their way in or waiting; more are answered 503."""

_PROCESSES = 4
"""Processes that read at once: a small file need not wait for three long ones."""
_IDLE = 2
_NICENESS = 5

T = TypeVar("T")


class ReaderPool:
    """The processes, and who may use them; it belongs to one event loop.

    Parameters
    ----------
    memory_bytes : int
        That a process may take for its file; 0 is no bound.
    """

    def __init__(self, memory_bytes: int = 0) -> None:
        self._memory = memory_bytes
        self._idle: list[_Reader] = []
        self._busy: set[_Reader] = set()
        self._room = asyncio.Semaphore(_PROCESSES)
        self._admitted = 0
        self._closed = False

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

    async def run(
        self,
        function: Callable[..., T],
        *arguments: Any,
        unless: Coroutine[Any, Any, None] | None = None,
    ) -> T:
        """Await the result of a call in one of the processes.

        Parameters
        ----------
        function : callable
        *arguments
        unless : coroutine, optional
            Ends when nobody waits for the result any more.

        Raises
        ------
        ServiceUnavailableError
            When the process died under the call.
        ClientDisconnect
            When ``unless`` ended first.
        ApiError
            What the call raised.
        """
        reading = asyncio.create_task(self._work(function, arguments))
        tasks: set[asyncio.Task[Any]] = {reading}
        if unless is not None:
            tasks.add(asyncio.create_task(unless))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                raise ClientDisconnect
            return reading.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _work(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
        async with self._room:
            if self._closed:  # while this call waited for its turn
                msg = "the service stops; send the file again when it is back"
                raise ServiceUnavailableError(msg)
            reader = self._idle.pop() if self._idle else _Reader(self._memory)
            self._busy.add(reader)
            answer = None
            try:
                if not reader.started:
                    await asyncio.to_thread(reader.start)
                answer = await reader.call(function, arguments)
            except (EOFError, OSError):
                msg = (
                    "the process that read the file died, most often for want of memory"
                )
                raise ServiceUnavailableError(msg) from None
            finally:
                self._busy.discard(reader)
                if answer is None or answer.spent or len(self._idle) >= _IDLE:
                    reader.kill()
                    await asyncio.to_thread(reader.join)
                else:
                    self._idle.append(reader)
        if answer.problem is not None:
            raise answer.problem
        result: T = answer.result
        return result

    def close(self) -> None:
        """End the processes, whatever they do; calls that wait are refused."""
        self._closed = True
        for reader in (*self._idle, *self._busy):
            reader.kill()
        while self._idle:
            self._idle.pop().join()


class _Answer(NamedTuple):
    """What a process says of a call."""

    result: Any
    problem: ApiError | None = None
    spent: bool = False
    """Whether the process should not be used again."""


class _Reader:
    """One process, from the server's side."""

    def __init__(self, memory_bytes: int) -> None:
        # Spawned: a forked child would inherit the server's sockets and threads.
        context = multiprocessing.get_context("spawn")
        self._pipe, self._theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(self._theirs, logs.level(), memory_bytes), daemon=True
        )
        self._starting = Lock()
        self._killed = False

    @property
    def started(self) -> bool:
        """Whether there is a process, or was one."""
        return self._process.pid is not None

    def start(self) -> None:
        """Start it, unless it was killed before; blocks for some milliseconds."""
        with self._starting:
            if not self._killed:
                self._process.start()
            self._theirs.close()
            if self._killed and self.started:  # while it started
                self._process.kill()

    async def call(
        self, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> _Answer:
        """Return what a call gave; EOFError and OSError tell that the process died."""
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        self._pipe.send((function, arguments))
        loop.add_reader(self._pipe.fileno(), ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._pipe.fileno())
        answer: _Answer = self._pipe.recv()
        return answer

    def kill(self) -> None:
        """End it at once, or as soon as it has started."""
        self._killed = True
        if self.started:
            self._process.kill()

    def join(self) -> None:
        """Wait for its end."""
        with self._starting:
            if self.started:
                self._process.join()
            self._theirs.close()
            self._pipe.close()


def _serve(pipe: Connection, log_level: str, memory_bytes: int) -> None:
    """Answer calls; the process ends when the server does, however that ends."""
    logs.set_up(log_level)
    Thread(target=_end_with_the_server, daemon=True).start()
    threadpool_limits(1)
    with suppress(OSError):
        os.nice(_NICENESS)
    bound_memory(memory_bytes)
    with suppress(EOFError):
        while True:
            function, arguments = pipe.recv()
            pipe.send(_called(function, arguments, memory_bytes))


def _called(
    function: Callable[..., Any], arguments: tuple[Any, ...], memory_bytes: int
) -> _Answer:
    """Return the result of a call, or what can cross the process border."""
    try:
        return _Answer(function(*arguments))
    except MemoryError:
        detail = (
            f"reading the file takes more than {memory_bytes} bytes of memory"
            " (DEMUR_MAX_READER_MEMORY_BYTES): send it in smaller parts"
        )
        return _Answer(None, InvalidRequestError(detail), spent=True)
    except Exception as error:
        problem = translate(error)
        if problem is not error:
            log.exception("reading a file failed")
        return _Answer(None, problem)


def _end_with_the_server() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


async def until_gone(request: Request) -> None:
    """Return when nobody waits for the answer to a request whose body has come."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


class ReaderPoolState(TypedDict):
    """What the lifespan of a router adds to the state of its requests."""

    pool: ReaderPool


@asynccontextmanager
async def with_reader_pool(app: FastAPI) -> AsyncIterator[ReaderPoolState]:
    """Keep a pool as long as the service runs."""
    state: AppState = app.state.app
    pool = ReaderPool(state.settings.max_reader_memory_bytes)
    try:
        yield {"pool": pool}
    finally:
        pool.close()


def reader_pool_of(request: Request) -> ReaderPool:
    """Return the pool of the service that serves this request."""
    pool: ReaderPool = request.state.pool
    return pool
