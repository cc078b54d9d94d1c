"""Whether a worker is at work: on this host, or on any.

A heartbeat of this host was written by the clock that reads it, so its age is exact.
The age of one from another host is rough, which is enough to say that trainings wait.
"""

from sqlalchemy import select

from app.db.base import utc_now
from app.db.session import Database
from app.db.tables import Worker
from app.jobs.identity import Identity, own_identity

__all__ = ["FRESH_S", "LIVELY_S", "is_working", "lives_anywhere"]

FRESH_S = 10.0
LIVELY_S = 30.0


def is_working(database: Database) -> bool:
    """Tell whether a living worker of this host has beaten within ``FRESH_S``."""
    host = own_identity().host
    return any(_beats(one, FRESH_S) for one in _workers(database) if one.host == host)


def lives_anywhere(database: Database) -> bool:
    """Tell whether a worker, here or elsewhere, has beaten within ``LIVELY_S``."""
    return any(_beats(one, LIVELY_S) for one in _workers(database))


def _workers(database: Database) -> list[Worker]:
    with database.read() as session:
        return list(session.scalars(select(Worker)))


def _beats(worker: Worker, within_s: float) -> bool:
    silent = (utc_now() - worker.heartbeat_at).total_seconds()
    who = Identity(worker.host, worker.pid, worker.process_start)
    return silent <= within_s and not who.is_gone()
