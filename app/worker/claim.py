"""Taking a job: one statement, so that no two workers take the same.

    UPDATE jobs SET status = 'running', ... WHERE id =
        (SELECT id ... WHERE status = 'queued' ORDER BY priority DESC, created_at
         LIMIT 1 FOR UPDATE SKIP LOCKED)  RETURNING ...

PostgreSQL skips what another worker has locked; SQLite has one writer at a time and
leaves the locking clause out.
"""

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.search_tables import SearchFigures
from app.db.states import JobKind, JobStatus
from app.db.tables import Job, JobInput

__all__ = ["Claim", "claim", "queued"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A job that a worker holds. ``attempt`` fences off an earlier holder."""

    job_id: str
    worker_id: str
    attempt: int
    model: str
    body: bytes = field(repr=False)
    max_seconds: int | None = None
    kind: JobKind = JobKind.TRAIN
    plan: dict[str, Any] | None = field(default=None, repr=False)
    figures: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)
    """What an earlier attempt has found of the candidates of a search, by digest."""


def queued(session: Session) -> bool:
    """Tell whether any job waits: a look that takes no lock."""
    job_id = session.scalar(
        select(Job.id).where(Job.status == JobStatus.QUEUED).limit(1)
    )
    return job_id is not None


def claim(session: Session, worker_id: str) -> Claim | None:
    """Take the most urgent job, of several the oldest; None when there is none."""
    first = (
        select(Job.id)
        .where(Job.status == JobStatus.QUEUED)
        .order_by(Job.priority.desc(), Job.created_at, Job.id)
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    taken = session.execute(
        update(Job)
        .where(Job.id == first)
        .values(
            status=JobStatus.RUNNING,
            worker_id=worker_id,
            attempts=Job.attempts + 1,
            started_at=utc_now(),
            progress_fraction=0.0,
            progress_message="starting",
        )
        .returning(Job.id, Job.attempts, Job.model, Job.max_seconds, Job.kind)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if taken is None:
        return None
    job_id, attempt, model, max_seconds, kind = taken
    body, plan = session.execute(
        select(JobInput.body, JobInput.plan).where(JobInput.job_id == job_id)
    ).one()
    known = session.execute(
        select(SearchFigures.digest, SearchFigures.figures).where(
            SearchFigures.job_id == job_id
        )
    )
    return Claim(
        job_id,
        worker_id,
        attempt,
        model,
        body,
        max_seconds,
        JobKind(kind),
        plan,
        {str(digest): figures for digest, figures in known},
    )
