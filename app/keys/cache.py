"""The keys that are valid now, without a query for every request.

A key that was revoked opens nothing in any process a second later. While the database
does not answer, the last answer is used as long as an operator allows; after that only
the keys of the settings open.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from app.db.leased import Lease, LeasedAnswers
from app.keys.secret import KnownKey
from app.keys.store import Issued

__all__ = ["LEASE_S", "KeyCache", "ValidKeys"]

LEASE_S = 0.8
_RENEW_S = 0.5 * LEASE_S
_ALL = "all"


@dataclass(frozen=True, slots=True)
class ValidKeys:
    """The keys of settings and database together.

    ``locked`` tells whether a key is needed at all. One that was ever issued locks the
    service, revoked or not: revoking the last key must not open what it closed.
    """

    keys: tuple[KnownKey, ...]
    locked: bool


class KeyCache:
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
        self._find = find
        self.fixed = ValidKeys(fixed, always_locked or bool(fixed))
        lease = Lease(LEASE_S, _RENEW_S, stale_s)
        self._leased = LeasedAnswers("keys", self._valid, lease, clock=clock)

    def close(self) -> None:
        """Let the thread end."""
        self._leased.close()

    def last(self) -> ValidKeys:
        """Return what was known last, however old: for what needs no key."""
        return self._leased.last(_ALL) or self.fixed

    def warm(self) -> None:
        """Ask for the keys if they are not known well enough; wait for nothing."""
        self._leased.warm(_ALL)

    def peek(self) -> ValidKeys | None:
        """Return the valid keys, if they are known well enough."""
        return self._leased.peek(_ALL)

    async def current(self) -> ValidKeys:
        """Return the valid keys, asking the database when needed.

        Raises
        ------
        SQLAlchemyError
            When it does not answer.
        """
        return await self._leased.get(_ALL)

    def _valid(self, _: str) -> ValidKeys:
        issued = self._find()
        keys = (*self.fixed.keys, *issued.keys)
        return ValidKeys(keys, self.fixed.locked or issued.ever)
