"""The way to the process for very large requests: one process, a bounded queue."""

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from app.errors import ServiceUnavailableError
from app.journal.entries import Stamp
from app.predict.bulk import answer_body, begin
from app.predict.work import Answered

__all__ = ["MOST_WAITING", "BulkPool"]

MOST_WAITING = 8
"""Large requests at once, running or waiting; more are answered 503."""


class BulkPool:
    """Answer large bodies in a process that starts with the first of them.

    Parameters
    ----------
    database_url : str
    artifacts : str
        The folder of the artifacts.
    """

    def __init__(self, database_url: str, artifacts: str) -> None:
        self._arguments = (database_url, artifacts)
        self._executor: ProcessPoolExecutor | None = None
        self._waiting = 0

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
        executor = self._executor or self._start()
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(executor, answer_body, body, stamp)
        except BrokenProcessPool:
            if self._executor is executor:
                self._executor = None
            msg = "the process that answers large requests died; try again"
            raise ServiceUnavailableError(msg) from None
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the process; requests that still wait are dropped."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    def _start(self) -> ProcessPoolExecutor:
        # Spawned: a forked child would inherit the server's sockets and threads.
        self._executor = ProcessPoolExecutor(
            1,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=begin,
            initargs=self._arguments,
        )
        return self._executor
