"""The keys that are valid now, without a query for every request.

An answer of the database is used for at most ``LEASE_S`` seconds, counted from before
its query; so a key that was revoked opens nothing in any process a second later. Late
in the lease it is asked again in a thread while the old answer is still good: under
load no request waits. While the database does not answer, the last answer is used as
long as an operator allows; after that only the keys of the settings open.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from app.db.watch import SilentDatabaseError
from app.keys.secret import KnownKey
from app.keys.store import Issued

__all__ = ["LEASE_S", "KeyRing", "Ring"]

log = logging.getLogger(__name__)

LEASE_S = 0.8
_RENEW_S = 0.5 * LEASE_S


@dataclass(frozen=True, slots=True)
class Ring:
    """The keys of settings and database together.

    ``locked`` tells whether a key is needed at all. One that was ever issued locks the
    service, revoked or not: revoking the last key must not open what it closed.
    """

    keys: tuple[KnownKey, ...]
    locked: bool


@dataclass(frozen=True, slots=True)
class _Held:
    ring: Ring
    asked_at: float


class KeyRing:
    """What one API process knows of keys; it belongs to one event loop.

    Parameters
    ----------
    find : callable
        Asks the database; called in a thread.
    fixed : tuple of KnownKey
        The keys of the settings.
    always_locked : bool
        Whether a key is needed even where none exists: off loopback it is.
    stale_s : float
        How old an answer may be that is used while the database gives none.
    clock : callable
        Monotonic seconds.
    """

    def __init__(
        self,
        find: Callable[[], Issued],
        fixed: tuple[KnownKey, ...],
        *,
        always_locked: bool,
        stale_s: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._find, self._clock, self._stale_s = find, clock, stale_s
        locked = always_locked or bool(fixed)
        self.fixed = Ring(fixed, locked)
        self._held: _Held | None = None
        self._asking: asyncio.Task[_Held] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="keys")

    def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def last(self) -> Ring:
        """Return what was known last, however old: for what needs no key."""
        return self.fixed if self._held is None else self._held.ring

    def warm(self) -> None:
        """Ask for the keys if they are not known well enough; wait for nothing."""
        if self.peek() is None and self._asking is None:
            self._ask()

    def peek(self) -> Ring | None:
        """Return the valid keys, if they are known well enough."""
        held = self._held
        if held is None:
            return None
        age = self._clock() - held.asked_at
        if age >= LEASE_S:
            return None
        if age >= _RENEW_S and self._asking is None:
            self._ask()
        return held.ring

    async def current(self) -> Ring:
        """Return the valid keys, asking the database when needed.

        Raises
        ------
        SQLAlchemyError
            When it does not answer.
        """
        arrived = self._clock()
        while True:
            # One that is done is awaited without a pause: its callback would never run.
            task = self._asking
            if task is None or task.done():
                task = self._ask()
            try:
                held = await asyncio.shield(task)
            except SQLAlchemyError:
                last = self._held
                if last is None or self._clock() - last.asked_at > self._stale_s:
                    raise
                return last.ring
            # a query that was under way may have begun too long ago
            if held.asked_at > arrived - LEASE_S:
                return held.ring

    def _ask(self) -> asyncio.Task[_Held]:
        self._asking = asyncio.get_running_loop().create_task(self._query())
        self._asking.add_done_callback(self._keep)
        return self._asking

    async def _query(self) -> _Held:
        asked_at = self._clock()
        loop = asyncio.get_running_loop()
        issued = await loop.run_in_executor(self._thread, self._find)
        keys = (*self.fixed.keys, *issued.keys)
        return _Held(Ring(keys, self.fixed.locked or issued.ever), asked_at)

    def _keep(self, done: asyncio.Task[_Held]) -> None:
        if self._asking is done:
            self._asking = None
        if done.cancelled():
            return
        if (error := done.exception()) is None:
            self._held = done.result()
        elif not isinstance(error, SilentDatabaseError):
            log.warning("asking for keys failed: %s", type(error).__name__)
