"""What a job looks like from outside."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from app.choices import ID, NAME
from app.db.tables import Job
from app.strict import Answer, QueryModel, with_examples

__all__ = [
    "JobAnswer",
    "JobsAnswer",
    "JobsQuery",
    "Progress",
    "Result",
    "job_answer",
    "job_entry",
]

Status = Literal["queued", "running", "succeeded", "failed", "cancelled"]

EXAMPLE: dict[str, Any] = {
    "id": "0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10",
    "kind": "train",
    "status": "succeeded",
    "model": "pima",
    "created_at": "2026-03-02T09:30:00.120000Z",
    "started_at": "2026-03-02T09:30:00.210000Z",
    "finished_at": "2026-03-02T09:30:01.730000Z",
    "progress": {"fraction": 1.0, "message": "succeeded"},
    "attempts": 1,
    "priority": 0,
    "max_seconds": None,
    "result": {"model": "pima", "version": 1},
    "error": None,
}


class Progress(Answer):
    """How far a job is."""

    fraction: float = Field(ge=0, le=1)
    """From 0 to 1."""
    message: str
    """What is being done."""


class Result(Answer):
    """What a succeeded job has made."""

    model: str
    version: int


class SearchedResult(Result):
    """What a succeeded job with a search has made."""

    search: dict[str, Any]
    """How its candidates did, best first; the version says the same."""


class ScoredResult(Result):
    """What a succeeded job of POST /jobs/score has decided."""

    rows: int
    rejected: int
    parts: int
    """Files, beside the manifest."""
    target: str
    """Where they are."""


class JobAnswer(Answer):
    """A training, or the deciding of many rows, from its request to its end."""

    model_config = with_examples(EXAMPLE)

    id: str
    kind: Literal["train", "score"]
    status: Status
    model: str
    """The name under which the version appears, or that of the model that decides."""
    created_at: datetime
    started_at: datetime | None
    """Begin of the present or last attempt."""
    finished_at: datetime | None
    progress: Progress
    attempts: int
    """How often a worker has begun this job; after the third death it fails."""
    priority: int
    """Jobs of a higher one are begun first."""
    max_seconds: int | None
    """Longest that one attempt may run; null: what the service allows any job."""
    result: ScoredResult | SearchedResult | Result | None
    error: dict[str, Any] | None
    """A problem object (RFC 9457), when the job failed."""


class JobsAnswer(Answer):
    """A page of jobs, newest first."""

    model_config = with_examples({"jobs": [EXAMPLE], "next": None})

    jobs: list[JobAnswer]
    next: str | None
    """Give it as ``before`` for the next page; null on the last."""


class JobsQuery(QueryModel):
    """Which jobs, and how many."""

    limit: int = Field(default=50, ge=1, le=200, description="Jobs on a page.")
    before: str | None = Field(
        default=None,
        pattern=ID,
        description="Only jobs older than this one: `next` of the page before.",
    )
    status: Status | None = Field(default=None, description="Only jobs in this state.")
    model: str | None = Field(
        default=None,
        pattern=NAME,
        description="Only trainings of this model.",
    )


def job_entry(job: Job) -> JobAnswer:
    """Return the row as a list shows it: without the table of a search."""
    answer = job_answer(job)
    if isinstance(answer.result, SearchedResult):
        brief = Result(model=answer.result.model, version=answer.result.version)
        return answer.model_copy(update={"result": brief})
    return answer


def job_answer(job: Job) -> JobAnswer:
    """Return the row as it is shown."""
    stopping = job.cancel_requested and job.status == "running"
    return JobAnswer.model_validate(
        {
            "id": job.id,
            "kind": job.kind,
            "status": job.status,
            "model": job.model,
            "created_at": job.created_at,
            "started_at": job.started_at,
            "finished_at": job.finished_at,
            "progress": {
                "fraction": job.progress_fraction,
                "message": "being cancelled" if stopping else job.progress_message,
            },
            "attempts": job.attempts,
            "priority": job.priority,
            "max_seconds": job.max_seconds,
            "result": job.result,
            "error": job.error,
        }
    )
