"""What may be done to a job from outside: queue it, cancel it.

Services never commit: the request's transaction does, before its reply.
"""

from sqlalchemy.orm import Session

from app.db.states import JobStatus
from app.db.tables import Job, JobInput
from app.errors import ConflictError, UnknownJobError
from app.jobs import queries

__all__ = ["cancel", "enqueue", "find"]


def enqueue(session: Session, *, model: str, request_body: bytes) -> Job:
    """Queue a training of ``model``; a worker picks it up after the commit.

    Parameters
    ----------
    session : Session
        The writing session of the request.
    model : str
        The name under which the version will appear.
    request_body : bytes
        The checked request as JSON; kept until the job ends.
    """
    job = Job(model=model)
    session.add(job)
    session.flush()
    session.add(JobInput(job_id=job.id, body=request_body))
    session.flush()
    return job


def find(session: Session, job_id: str) -> Job:
    """Return the job of this id.

    Raises
    ------
    UnknownJobError
        When there is none.
    """
    job = queries.get(session, job_id)
    if job is None:
        msg = "no job has this id; see GET /jobs"
        raise UnknownJobError(msg)
    return job


def cancel(session: Session, job_id: str) -> Job:
    """Cancel a job: at once when it is queued, within a second when it runs.

    Raises
    ------
    UnknownJobError
        When there is no such job.
    ConflictError
        When it has succeeded or failed already.
    """
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
