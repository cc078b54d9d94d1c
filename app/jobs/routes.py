"""GET /jobs, GET /jobs/{id}, GET /jobs/{id}/events, POST /jobs/{id}/cancel."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Request
from starlette.responses import Response, StreamingResponse

from app.db.session import Reading, Transaction
from app.errors import (
    ConflictError,
    InvalidRequestError,
    ServiceUnavailableError,
    UnknownJobError,
)
from app.jobs import service
from app.jobs.feed import Feed
from app.jobs.schemas import JobAnswer, JobsAnswer, JobsQuery, job_answer, job_entry
from app.jobs.stream import MEDIA_TYPE, event_id, has_ended, stream
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


LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        description="The id of the last event that was received: it is not sent again.",
        examples=["5d1f8c0e9b7a46f2a1c3d4e5f6071829"],
    ),
]
EVENTS = {
    "description": "Events `progress` and `end`, each with the job as GET /jobs/{id} "
    "shows it; a comment at least every ten seconds. The stream ends after `end`, when "
    "the service stops, and after ten minutes: come back with Last-Event-ID.",
    "content": {
        MEDIA_TYPE: {
            "schema": {
                "type": "object",
                "description": "One event of the stream.",
                "required": ["data"],
                "properties": {
                    "id": {"type": "string"},
                    "event": {"enum": ["progress", "end"]},
                    "data": {"type": "string", "description": "The job, as JSON."},
                },
            },
            "example": {
                "id": "5d1f8c0e",
                "event": "progress",
                "data": '{"status": "running", "progress": {"fraction": 0.4}}',
            },
        }
    },
}


@router.get(
    "/{job_id}/events",
    response_class=StreamingResponse,
    responses={
        200: EVENTS,
        204: {"description": "The job has ended and its end was seen: stay away"},
        **problems(UnknownJobError, ServiceUnavailableError),
    },
)
def follow_job(
    job_id: JobId,
    session: Reading,
    request: Request,
    last_event_id: LastEventId = None,
) -> Response:
    """Follow a job as server-sent events, from where it stands to its end."""
    job = job_answer(service.find(session, job_id))
    if has_ended(job) and event_id(job) == last_event_id:
        return Response(status_code=204)
    feed: Feed = request.app.state.feed
    feed.require_room()
    return StreamingResponse(
        stream(feed, job, last_event_id),
        media_type=MEDIA_TYPE,
        headers={"cache-control": "no-store", "x-accel-buffering": "no"},
    )


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
