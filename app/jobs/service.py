"""What may be done to a job from outside: queue it, cancel it.

Services never commit: the request's transaction does, before its reply.
"""

import re
from typing import Any

from sqlalchemy.orm import Session

from app.db.states import JobKind, JobStatus
from app.db.tables import Job, JobInput
from app.errors import ConflictError, QueueFullError, UnknownJobError
from app.jobs import queries
from app.jobs.schemas import JobsQuery

__all__ = ["cancel", "enqueue", "find", "page", "require_room"]

JOB_ID = re.compile(r"[0-9a-f-]{36}")


def require_room(session: Session, most_queued: int, own: int = 0) -> None:
    """Make sure that one more job may wait, until the transaction ends.

    Nobody else adds one until then: with a large request, ask when it is stored and is
    one of its ``own``.

    Raises
    ------
    QueueFullError
        When ``most_queued`` jobs wait.
    """
    if queries.count_queued(session, most_queued + 1) - own >= most_queued:
        msg = f"{most_queued} jobs wait already (DEMUR_MAX_QUEUED_JOBS); try later"
        raise QueueFullError(msg)


def enqueue(
    session: Session,
    *,
    model: str,
    request_body: bytes,
    plan: dict[str, Any] | None = None,
    priority: int = 0,
    max_seconds: int | None = None,
    kind: JobKind = JobKind.TRAIN,
) -> Job:
    """Queue a job of ``model``; a worker picks it up after the commit.

    Parameters
    ----------
    session : Session
        The writing session of the request.
    model : str
        The name under which the version will appear.
    request_body : bytes
        The checked request as JSON; kept until the job ends.
    plan : dict, optional
        What a training resolves to, as JSON values; kept as long.
    priority : int
        Jobs of a higher one are begun first; among equals, the oldest.
    max_seconds : int, optional
        Longest that one attempt may run; the worker's own limit where left out.
    kind : JobKind
    """
    job = Job(model=model, priority=priority, max_seconds=max_seconds, kind=kind)
    session.add(job)
    session.flush()
    session.add(JobInput(job_id=job.id, body=request_body, plan=plan))
    session.flush()
    return job


def find(session: Session, job_id: str) -> Job:
    """Return the job of this id.

    Raises
    ------
    UnknownJobError
        When there is none.
    """
    job = queries.get(session, job_id) if JOB_ID.fullmatch(job_id) else None
    if job is None or job.parent_id is not None:
        msg = "no job has this id; see GET /jobs"
        raise UnknownJobError(msg)
    return job


def page(session: Session, query: JobsQuery) -> tuple[list[Job], str | None]:
    """Return one page of jobs, newest first, and the mark of the next one."""
    jobs = queries.latest(
        session,
        limit=query.limit + 1,
        before=query.before,
        status=query.status,
        model=query.model,
    )
    shown = jobs[: query.limit]
    return shown, shown[-1].id if len(jobs) > len(shown) else None


def cancel(session: Session, job_id: str) -> Job:
    """Cancel a job: at once when it is queued, within a second when it runs.

    Raises
    ------
    UnknownJobError
        When there is no such job.
    ConflictError
        When it has succeeded or failed already.
    """
    find(session, job_id)
    if not (
        queries.cancel_queued(session, job_id) or queries.ask_to_cancel(session, job_id)
    ):
        job = find(session, job_id)
        if job.status != JobStatus.CANCELLED:
            msg = (
                f"the job has {job.status} already; "
                "only a queued or running one can be cancelled"
            )
            raise ConflictError(msg)
        return job
    return find(session, job_id)
