"""Finding workers that died, and what they left: their jobs run again, or fail.

A worker on this host is dead when its process is; one elsewhere when its heartbeat has
not moved for ``patience_s`` on our own clock (clocks of two hosts are never compared).
A job that has been begun three times fails instead of being tried for ever: it may be
what kills the workers.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.session import Database, is_held
from app.db.states import JobStatus
from app.db.tables import Job, ModelVersion, Worker
from app.errors import TrainingCrashedError
from app.jobs.identity import Identity
from app.models.publication import wait_until_visible
from app.timer import Timer
from app.worker import finish
from app.worker.claim import Claim
from app.worker.parts import is_divided

__all__ = ["MOST_ATTEMPTS", "Watch", "beat", "enter", "later_if_held", "leave"]

log = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
_TELLING = Timer(10.0)
PATIENCE_S = 20.0


@contextmanager
def later_if_held(what: str) -> Iterator[None]:
    """Leave for the next time what another transaction holds."""
    try:
        yield
    except OperationalError as error:
        if not is_held(error):
            raise
        if _TELLING.due():
            log.warning("%s is held by another transaction: later", what)


def enter(session: Session, identity: Identity) -> str:
    """Write this worker down; return its id."""
    row = Worker(host=identity.host, pid=identity.pid, process_start=identity.start)
    session.add(row)
    session.flush()
    return row.id


def beat(session: Session, worker_id: str) -> bool:
    """Show that this worker is alive; False when it was taken for dead."""
    seen = session.scalar(
        update(Worker)
        .where(Worker.id == worker_id)
        .values(heartbeat_at=utc_now())
        .returning(Worker.id)
        .execution_options(synchronize_session=False)
    )
    return seen is not None


def leave(session: Session, worker_id: str) -> None:
    """Strike this worker off."""
    session.execute(delete(Worker).where(Worker.id == worker_id))


class Watch:
    """What one worker has seen of the others."""

    def __init__(self, own_id: str, patience_s: float = PATIENCE_S) -> None:
        self.own_id, self.patience_s = own_id, patience_s
        self._first = True
        self._seen: dict[str, tuple[datetime, float]] = {}

    def recover(self, database: Database) -> set[str]:
        """Settle the jobs of every dead worker; return the ids of the living.

        The living are returned when they may have changed, else an empty set.
        """
        with database.read() as session:
            others = list(session.scalars(select(Worker)))
        dead = [worker for worker in others if self._is_dead(worker)]
        for worker in dead:
            # a version that appeared just before the death must be seen everywhere
            # before its job is called succeeded
            wait_until_visible()
            with later_if_held(f"worker {worker.id}"), database.write() as session:
                _bury(session, worker.id)
        first, self._first = self._first, False
        if not dead and not first:
            return set()
        return {worker.id for worker in others} - {worker.id for worker in dead}

    def _is_dead(self, worker: Worker) -> bool:
        if worker.id == self.own_id:
            return False
        gone = Identity(worker.host, worker.pid, worker.process_start).is_gone()
        if gone:
            return True
        now_s = time.monotonic()
        beat_at, since_s = self._seen.get(worker.id, (None, now_s))
        if beat_at != worker.heartbeat_at:
            since_s = now_s
        self._seen[worker.id] = (worker.heartbeat_at, since_s)
        return now_s - since_s > self.patience_s


def _bury(session: Session, worker_id: str) -> None:
    """Settle everything that a dead worker held, and strike it off.

    A job that another transaction holds stays for the next time, and the worker too.
    """
    row = session.scalar(
        select(Worker).where(Worker.id == worker_id).with_for_update(skip_locked=True)
    )
    if row is None:
        return  # another worker is at it
    held = session.scalars(
        select(Job)
        .where(Job.worker_id == worker_id, Job.status == JobStatus.RUNNING)
        .with_for_update(skip_locked=True)
    )
    for job in list(held):
        log.warning("job %s: its worker died (attempt %d)", job.id, job.attempts)
        _settle(session, job, Claim(job.id, worker_id, job.attempts, job.model, b""))
    left = select(Job.id).where(
        Job.worker_id == worker_id, Job.status == JobStatus.RUNNING
    )
    if session.scalar(left.limit(1)) is None:
        session.execute(delete(Worker).where(Worker.id == worker_id))


def _settle(session: Session, job: Job, claim: Claim) -> None:
    version = session.scalar(
        select(ModelVersion.version).where(ModelVersion.job_id == job.id)
    )
    if version is not None:
        finish.succeed(session, claim, version)
    elif job.cancel_requested:
        finish.cancel(session, claim)
    elif job.attempts >= MOST_ATTEMPTS and not is_divided(session, job.id):
        error = TrainingCrashedError(
            f"the worker died in each of {job.attempts} attempts at this training; "
            "it is not tried again"
        )
        finish.fail(session, claim, error.problem())
    else:
        finish.give_back(session, claim, "waiting: its worker died", counts=True)
