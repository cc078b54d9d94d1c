"""Whether a worker of this host is at work, for those who restart it when it is not."""

from sqlalchemy import select

from app.db.base import utc_now
from app.db.session import Database
from app.db.tables import Worker
from app.worker.identity import Identity, own_identity

__all__ = ["FRESH_S", "is_working"]

FRESH_S = 10.0


def is_working(database: Database) -> bool:
    """Tell whether a living worker of this host has beaten within ``FRESH_S``.

    Its beat was written by the clock of this host, so the two can be compared.
    """
    host = own_identity().host
    with database.read() as session:
        workers = list(session.scalars(select(Worker).where(Worker.host == host)))
    now = utc_now()
    return any(
        (now - worker.heartbeat_at).total_seconds() <= FRESH_S
        and not Identity(worker.host, worker.pid, worker.process_start).is_gone()
        for worker in workers
    )
