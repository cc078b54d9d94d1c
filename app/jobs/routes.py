"""GET /jobs, GET /jobs/{id}, POST /jobs/{id}/cancel."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from app.db.session import Reading, Transaction
from app.errors import ConflictError, InvalidRequestError, UnknownJobError
from app.jobs import service
from app.jobs.schemas import JobAnswer, JobsAnswer, JobsQuery, job_answer, job_entry
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/jobs", tags=["jobs"])

JobId = Annotated[
    str,
    Path(
        description="The job's id, as POST /train gave it.",
        examples=["0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10"],
    ),
]


@router.get("", responses=problems(InvalidRequestError))
def list_jobs(query: Annotated[JobsQuery, Query()], session: Reading) -> JobsAnswer:
    """List jobs, newest first."""
    jobs, following = service.page(session, query)
    return JobsAnswer(jobs=[job_entry(job) for job in jobs], next=following)


@router.get("/{job_id}", responses=problems(UnknownJobError))
def get_job(job_id: JobId, session: Reading) -> JobAnswer:
    """Say where a job stands."""
    return job_answer(service.find(session, job_id))


@router.post(
    "/{job_id}/cancel",
    status_code=202,
    responses=problems(UnknownJobError, ConflictError),
)
def cancel_job(job_id: JobId, session: Transaction) -> JobAnswer:
    """Cancel a job: at once when it waits, within a second when it runs.

    A job that was cancelled already stays so; one that has succeeded or failed cannot
    be cancelled.
    """
    return job_answer(service.cancel(session, job_id))
