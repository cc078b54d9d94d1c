"""POST /jobs/score."""

from collections.abc import Iterator

import msgspec
from fastapi import APIRouter, Request, Response

from app.datasets import queries as datasets
from app.datasets.training import note_use
from app.db.session import Transaction
from app.db.states import JobKind
from app.errors import (
    FieldError,
    InvalidRequestError,
    QueueFullError,
    UnknownModelError,
)
from app.jobs import service as jobs
from app.jobs.schemas import JobAnswer, job_answer
from app.models.catalogue import Reference
from app.models.queries import resolve
from app.score.places import RefusedPlaceError, place_at
from app.score.schemas import DatasetSource, ScoreRequest, Source
from app.settings import Settings
from app.state import state_of
from app.web.openapi import located, problems
from app.web.paths import locate

__all__ = ["router"]

router = APIRouter(prefix="/jobs", tags=["jobs"])


@router.post(
    "/score",
    status_code=202,
    responses={
        **located(
            202, "Queued; follow the job at the address in Location", "The job's"
        ),
        **problems(UnknownModelError, InvalidRequestError, QueueFullError),
    },
)
def score_rows(
    asked: ScoreRequest, session: Transaction, request: Request, response: Response
) -> JobAnswer:
    """Queue the deciding of many rows: files of a folder or a bucket, or a data set.

    Workers share the parts of one job. Each part is written once, whole, under a name
    that follows from its place; a worker that dies costs the parts that it had begun.
    The job has succeeded when `manifest.json` is there, which lists all parts.
    """
    settings = state_of(request).settings
    reference = Reference.parse(asked.model)
    version = resolve(session, reference.name, reference.version, reference.alias)
    if version is None:
        raise reference.unknown()
    faults = list(_faults(settings, asked, reviewed=version.review is not None))
    dataset = asked.source.id if isinstance(asked.source, DatasetSource) else None
    if dataset is not None and datasets.hold(session, dataset, read=True) is None:
        detail = "no data set has this id; see GET /datasets"
        faults.append(FieldError("/source/id", detail))
    if faults:
        raise InvalidRequestError(faults[0].detail, faults)
    source = Source(
        model=version.name,
        version=version.version,
        sha256=version.sha256,
        dataset=dataset,
        url=None if isinstance(asked.source, DatasetSource) else asked.source.url,
        target=asked.target,
        part_rows=asked.part_rows,
        review=asked.review,
        reference=asked.reference,
    )
    job = jobs.enqueue(
        session,
        model=version.name,
        request_body=msgspec.json.encode(source),
        priority=asked.priority,
        kind=JobKind.SCORE,
    )
    if dataset is not None:
        note_use(session, dataset, job.id)
    jobs.require_room(session, settings.max_queued_jobs, own=1)
    locate(request, response, f"/jobs/{job.id}")
    return job_answer(job)


def _faults(
    settings: Settings, asked: ScoreRequest, *, reviewed: bool
) -> Iterator[FieldError]:
    if asked.review and not reviewed:
        detail = "rejects of this model are not reviewed; see PUT /models/{name}/review"
        yield FieldError("/review", detail)
    if asked.reference is not None and not asked.review:
        yield FieldError("/reference", "it is for cases alone: say review true")
    named = {"/target": asked.target}
    if not isinstance(asked.source, DatasetSource):
        named["/source/url"] = asked.source.url
    for pointer, url in named.items():
        try:
            place_at(settings, url)
        except RefusedPlaceError as error:
            yield FieldError(pointer, str(error))
