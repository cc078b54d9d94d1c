"""The first screen: every model with what it costs and who waits, and the trainings."""

from typing import Annotated

from fastapi import Depends, Query, Request
from starlette.responses import Response

from app.db.session import Reading
from app.jobs import service as jobs
from app.jobs.schemas import JobAnswer, JobsQuery, job_entry
from app.models import service
from app.models.overview import overviews
from app.models.schemas import ModelsQuery
from app.pages.page import NAV, go, page_router, render
from app.pages.visitor import opens, visitor_of

__all__ = ["router"]

router = page_router()

_ENDED = 4
"""Trainings that have ended are shown for so many places."""


@router.get("")
def list_models(
    request: Request, query: Annotated[ModelsQuery, Query()], session: Reading
) -> Response:
    """Show the models by name; who may not see them is led to what they may."""
    visitor = visitor_of(request)
    if not visitor.may("GET", "/models"):
        other = next((e for e in NAV if visitor.may(e.method, e.call)), None)
        if other is not None:
            return go(request, other.path)
        opens("GET", "/models")(request)
    page = service.list_models(session, query)
    return render(
        request,
        "models.html",
        here="models",
        models=overviews(session, [model.name for model in page.models]),
        query=query,
        following=page.next,
        trainings=_trainings(session) if visitor.may("GET", "/jobs") else [],
    )


def _trainings(session: Reading) -> list[JobAnswer]:
    """Return the trainings that run or wait, and the last that have ended."""
    going = [
        JobsQuery(limit=20, status="running"),
        JobsQuery(limit=20, status="queued"),
    ]
    trainings = [job for query in going for job in jobs.page(session, query)[0]]
    latest, _ = jobs.page(session, JobsQuery(limit=_ENDED))
    shown = {job.id: job for job in (*trainings, *latest)}
    return [job_entry(job) for job in shown.values()]


@router.get("/jobs/{job_id}", dependencies=[Depends(opens("GET", "/jobs"))])
def show_job(request: Request, job_id: str, session: Reading) -> Response:
    """Show where a training stands; one that has succeeded leads to its report."""
    job = job_entry(jobs.find(session, job_id))
    if job.result is not None and "stay" not in request.query_params:
        return go(request, f"/models/{job.result.model}/{job.result.version}")
    return render(request, "job.html", here="models", job=job)
