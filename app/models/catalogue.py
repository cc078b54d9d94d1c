"""Which version a name means now, without a query for every prediction.

An answer of the database is leased for ``LEASE_S`` seconds. A worker that has committed
a version waits longer than that before it calls the job succeeded; so once a job is
seen as succeeded, no process answers with an older version.

References: ``name`` (the newest version), ``name:version``, ``name@alias``.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.db.leased import Lease, LeasedAnswers
from app.errors import UnknownModelError
from app.models.queries import ResolvedVersion

__all__ = ["LEASE_S", "Catalogue", "Find", "Reference"]

LEASE_S = 0.1
"""How long an answer is used, from before its query."""

_RENEW_S = 0.7 * LEASE_S

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
            reason = f"no model of this name has a version {self.version}"
            return UnknownModelError(f"{reason}; see GET /models")
        return UnknownModelError("no model has this name; see GET /models")


Find = Callable[[Reference], ResolvedVersion | None]


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
        self._find = find
        self._leased = LeasedAnswers(
            "models",
            self._meaning,
            Lease(LEASE_S, _RENEW_S, stale_s),
            most=_MOST_ENTRIES,
            threads=2,
            clock=clock,
        )
        self.peek = self._leased.peek
        self.close = self._leased.close

    async def resolve(self, text: str) -> ResolvedVersion:
        """Return what a reference means, asking the database when needed.

        Raises
        ------
        UnknownModelError
            When it means nothing.
        SQLAlchemyError
            When the database does not answer.
        """
        return await self._leased.get(text)

    def _meaning(self, text: str) -> ResolvedVersion:
        reference = Reference.parse(text)
        version = self._find(reference)
        if version is None:
            raise reference.unknown()
        return version
