"""Which version a name means now, without a query for every prediction.

An answer of the database is used for at most ``LEASE_S`` seconds, counted from before
its query. A worker that has committed a version waits longer than that before it calls
the job succeeded; so once a job is seen as succeeded, no process answers with an older
version. Late in the lease the entry is asked for again in a thread, while the old one
is still good: under load no request waits for the database. While the database does
not answer, the last answer is used as long as an operator allows.

References: ``name`` (the newest version), ``name:version``, ``name@alias``.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from app.db.watch import SilentDatabaseError
from app.errors import UnknownModelError
from app.models.queries import ResolvedVersion

__all__ = ["LEASE_S", "Catalogue", "Find", "Reference"]

log = logging.getLogger(__name__)

LEASE_S = 0.1
"""How long an answer is used, from before its query."""

_RENEW_S = 0.7 * LEASE_S
"""Age from which an entry is asked for again."""

_MOST_ENTRIES = 1024
_REFERENCE = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,99})"
    r"(?::(?P<version>[1-9][0-9]{0,8})|@(?P<alias>[A-Za-z0-9][A-Za-z0-9._-]{0,99}))?"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a request calls a model."""

    name: str
    version: int | None = None
    alias: str | None = None

    @classmethod
    def parse(cls, text: str) -> "Reference":
        """Read ``name``, ``name:version`` or ``name@alias``.

        Raises
        ------
        UnknownModelError
            When no model could be called that.
        """
        parts = _REFERENCE.fullmatch(text)
        if parts is None:
            msg = (
                "no model can be called that: write name, name:version or name@alias;"
                " see GET /models"
            )
            raise UnknownModelError(msg)
        version = int(parts["version"]) if parts["version"] else None
        return cls(parts["name"], version, parts["alias"])

    def unknown(self) -> UnknownModelError:
        """Return the error for a reference that means nothing."""
        if self.alias is not None:
            return UnknownModelError("no model of this name has such an alias")
        if self.version is not None:
            said = f"no model of this name has a version {self.version}"
            return UnknownModelError(f"{said}; see GET /models")
        return UnknownModelError("no model has this name; see GET /models")


Find = Callable[[Reference], ResolvedVersion | None]


@dataclass(frozen=True, slots=True)
class _Entry:
    found: ResolvedVersion
    asked_at: float


class Catalogue:
    """The references in use, each with what it means.

    It belongs to one event loop; only the queries run in threads.

    Parameters
    ----------
    find : callable
        Asks the database; called in a thread.
    clock : callable
        Monotonic seconds.
    stale_s : float
        How old an answer may be that is used while the database gives none.
    """

    def __init__(
        self,
        find: Find,
        clock: Callable[[], float] = time.monotonic,
        stale_s: float = 0.0,
    ) -> None:
        self._find, self._stale_s, self._clock = find, stale_s, clock
        self._entries: dict[str, _Entry] = {}
        self._asking: dict[str, asyncio.Task[_Entry]] = {}
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="catalogue")

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def peek(self, text: str) -> ResolvedVersion | None:
        """Return what a reference means, if that is known well enough."""
        entry = self._entries.get(text)
        if entry is None:
            return None
        age = self._clock() - entry.asked_at
        if age >= LEASE_S:
            return None
        if age >= _RENEW_S and text not in self._asking:
            self._ask(text)
        return entry.found

    async def resolve(self, text: str) -> ResolvedVersion:
        """Return what a reference means, asking the database when needed.

        Raises
        ------
        UnknownModelError
            When it means nothing.
        """
        found = self.peek(text)
        if found is not None:
            return found
        arrived = self._clock()
        while True:
            task = self._asking.get(text)
            if task is None or task.done():
                task = self._ask(text)
            # Others wait for the same answer: our client hanging up is not theirs.
            try:
                entry = await asyncio.shield(task)
            except SQLAlchemyError:
                last = self._entries.get(text)
                if last is None or self._clock() - last.asked_at > self._stale_s:
                    raise
                return last.found
            # A query that was under way may have begun too long ago.
            if entry.asked_at > arrived - LEASE_S:
                return entry.found

    def _ask(self, text: str) -> asyncio.Task[_Entry]:
        task = asyncio.get_running_loop().create_task(self._query(text))
        self._asking[text] = task
        task.add_done_callback(lambda done: self._keep(text, done))
        return task

    async def _query(self, text: str) -> _Entry:
        reference = Reference.parse(text)
        asked_at = self._clock()
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, self._find, reference)
        if found is None:
            raise reference.unknown()
        return _Entry(found, asked_at)

    def _keep(self, text: str, done: asyncio.Task[_Entry]) -> None:
        if self._asking.get(text) is done:
            del self._asking[text]
        if done.cancelled():
            return
        error = done.exception()
        if error is None:
            self._entries.pop(text, None)
            self._entries[text] = done.result()
            if len(self._entries) > _MOST_ENTRIES:
                del self._entries[next(iter(self._entries))]
        elif isinstance(error, UnknownModelError):
            self._entries.pop(text, None)
        elif not isinstance(error, SilentDatabaseError):
            log.warning("asking for a model failed: %s", type(error).__name__)
