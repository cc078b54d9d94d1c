"""Answers of the database that are used for a while, without a query for every request.

An answer is used for at most a lease, counted from before its query. Late in the lease
it is asked for again in a thread while the old one is still good: under load no request
waits for the database. While the database does not answer, the last answer is used for
as long as an operator allows.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from app.db.watch import SilentDatabaseError
from app.errors import ApiError

__all__ = ["Lease", "LeasedAnswers"]

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Lease:
    """How long answers are used, in seconds.

    ``renew_s`` is the age from which an answer is asked for again; ``stale_s`` how old
    one may be that is used while the database gives none.
    """

    lease_s: float
    renew_s: float
    stale_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Dated(Generic[Answer]):
    answer: Answer
    asked_at: float


class LeasedAnswers(Generic[Answer]):
    """The questions in use, each with its last answer.

    It belongs to one event loop; only the queries run in threads.

    Parameters
    ----------
    name : str
        What is asked for, for the log and the threads.
    find : callable
        Asks the database for one question; called in a thread.
    lease : Lease
        How long answers are used.
    most : int
        How many answers are kept; the oldest goes first.
    threads : int
        How many queries may run at once.
    clock : callable
        Monotonic seconds.
    """

    def __init__(
        self,
        name: str,
        find: Callable[[str], Answer],
        lease: Lease,
        *,
        most: int = 1,
        threads: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._find, self._lease = name, find, lease
        self._most, self._clock = most, clock
        self._answers: dict[str, _Dated[Answer]] = {}
        self._queries: dict[str, asyncio.Task[_Dated[Answer]]] = {}
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=name)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def last(self, question: str) -> Answer | None:
        """Return the last answer, however old."""
        dated = self._answers.get(question)
        return None if dated is None else dated.answer

    def peek(self, question: str) -> Answer | None:
        """Return the answer, if it is young enough."""
        dated = self._answers.get(question)
        if dated is None:
            return None
        age = self._clock() - dated.asked_at
        if age >= self._lease.lease_s:
            return None
        if age >= self._lease.renew_s:
            self._query_once(question)
        return dated.answer

    def warm(self, question: str) -> None:
        """Ask if there is no answer young enough; wait for nothing."""
        if self.peek(question) is None:
            self._query_once(question)

    async def get(self, question: str) -> Answer:
        """Return the answer, asking the database when needed.

        Raises
        ------
        SQLAlchemyError
            When the database gives none, and the last one is too old.
        ApiError
            What ``find`` raised: there is no such thing.
        """
        arrived = self._clock()
        answer = self.peek(question)
        while answer is None:
            task = self._query_once(question)
            # Others wait for the same answer: our client hanging up is not theirs.
            try:
                dated = await asyncio.shield(task)
            except SQLAlchemyError:
                last = self._answers.get(question)
                if last is None or self._clock() - last.asked_at > self._lease.stale_s:
                    raise
                return last.answer
            # A query that was under way may have begun too long ago.
            if dated.asked_at > arrived - self._lease.lease_s:
                answer = dated.answer
        return answer

    def _query_once(self, question: str) -> asyncio.Task[_Dated[Answer]]:
        task = self._queries.get(question)
        # One that is done is no query under way: awaiting it takes no turn of the loop,
        # so that its callback would never run.
        if task is None or task.done():
            task = asyncio.get_running_loop().create_task(self._query(question))
            self._queries[question] = task
            task.add_done_callback(lambda done: self._keep(question, done))
        return task

    async def _query(self, question: str) -> _Dated[Answer]:
        asked_at = self._clock()
        loop = asyncio.get_running_loop()
        answer = await loop.run_in_executor(self._threads, self._find, question)
        return _Dated(answer, asked_at)

    def _keep(self, question: str, done: asyncio.Task[_Dated[Answer]]) -> None:
        if self._queries.get(question) is done:
            del self._queries[question]
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            self._answers.pop(question, None)
            self._answers[question] = done.result()
            if len(self._answers) > self._most:
                del self._answers[next(iter(self._answers))]
        elif isinstance(error, ApiError):
            self._answers.pop(question, None)
        elif not isinstance(error, SilentDatabaseError):
            log.warning("asking for %s failed: %s", self._name, type(error).__name__)
