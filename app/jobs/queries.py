"""The SQL of jobs, as the API needs it."""

from collections.abc import Iterable

from sqlalchemy import delete, func, select, text, tuple_, update
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.states import JobStatus
from app.db.tables import Job, JobInput

__all__ = [
    "ask_to_cancel",
    "cancel_queued",
    "count_queued",
    "end_parts",
    "find_all",
    "get",
    "latest",
]

QUEUE_LOCK = 0x6A6F6273  # "jobs"


def get(session: Session, job_id: str) -> Job | None:
    """Return the job of this id as it stands now, or None."""
    return session.scalar(
        select(Job).where(Job.id == job_id).execution_options(populate_existing=True)
    )


def find_all(session: Session, job_ids: Iterable[str]) -> list[Job]:
    """Return the jobs of these ids that there are."""
    return list(session.scalars(select(Job).where(Job.id.in_(job_ids))))


def latest(
    session: Session,
    *,
    limit: int,
    before: str | None = None,
    status: str | None = None,
    model: str | None = None,
) -> list[Job]:
    """Return up to ``limit`` jobs, newest first, those older than ``before`` only."""
    query = (
        select(Job)
        .where(Job.parent_id.is_(None))
        .order_by(Job.created_at.desc(), Job.id.desc())
        .limit(limit)
    )
    if before is not None:
        mark = select(Job.created_at, Job.id).where(Job.id == before).subquery()
        query = query.join(
            mark, tuple_(Job.created_at, Job.id) < tuple_(mark.c.created_at, mark.c.id)
        )
    if status is not None:
        query = query.where(Job.status == status)
    if model is not None:
        query = query.where(Job.model == model)
    return list(session.scalars(query))


def count_queued(session: Session, most: int) -> int:
    """Return how many jobs wait, counted up to ``most``.

    Nobody else counts until the transaction ends: SQLite has one writer anyway, on
    PostgreSQL a lock makes it so.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": QUEUE_LOCK})
    waiting = (
        select(Job.id)
        .where(Job.status == JobStatus.QUEUED, Job.parent_id.is_(None))
        .limit(most)
    )
    return session.scalar(select(func.count()).select_from(waiting.subquery())) or 0


def cancel_queued(session: Session, job_id: str) -> bool:
    """Move a queued job to cancelled; tell whether it was queued."""
    moved = session.scalar(
        update(Job)
        .where(Job.id == job_id, Job.status == JobStatus.QUEUED)
        .values(
            status=JobStatus.CANCELLED,
            cancel_requested=True,
            progress_message="cancelled",
            finished_at=utc_now(),
        )
        .returning(Job.id)
        .execution_options(synchronize_session=False)
    )
    if moved is None:
        return False
    session.execute(delete(JobInput).where(JobInput.job_id == job_id))
    end_parts(session, job_id)
    return True


def end_parts(session: Session, job_id: str) -> None:
    """Cancel the parts of a job that wait; ask the workers of others to stop them."""
    parts = select(Job.id).where(
        Job.parent_id == job_id, Job.status == JobStatus.QUEUED
    )
    for part in session.scalars(parts):
        cancel_queued(session, part)
    session.execute(
        update(Job)
        .where(Job.parent_id == job_id, Job.status == JobStatus.RUNNING)
        .values(cancel_requested=True)
        .execution_options(synchronize_session=False)
    )


def ask_to_cancel(session: Session, job_id: str) -> bool:
    """Ask the worker of a running job to stop it; tell whether it was running."""
    asked = session.scalar(
        update(Job)
        .where(Job.id == job_id, Job.status == JobStatus.RUNNING)
        .values(cancel_requested=True)
        .returning(Job.id)
        .execution_options(synchronize_session=False)
    )
    return asked is not None
