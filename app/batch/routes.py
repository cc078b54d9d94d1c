"""POST /predict/batch."""

import json
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from app.batch.job import BatchJob, answer_file
from app.batch.openapi import BATCH_ANSWER, BATCH_BODY
from app.batch.schemas import BatchQuery, asked_costs
from app.batch.sending import FileResponse
from app.datasets.options import limits_of, read_options
from app.datasets.reader_pool import ReaderPool, reader_pool_of, until_gone
from app.datasets.reading.options import Format, ReadOptions
from app.datasets.receiving import (
    MEDIA_TYPES,
    charset_of,
    media_type_of,
    receive,
)
from app.datasets.store import DatasetStore
from app.errors import (
    CorruptArtifactError,
    InvalidRequestError,
    ServiceUnavailableError,
    StorageFullError,
    UnknownModelError,
    UnsupportedMediaTypeError,
)
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally
from app.predict.endpoint import PredictEndpoint
from app.state import state_of
from app.web.openapi import problems

__all__ = ["decide_file", "router"]

_MOST_NOTES = 10
"""In a header: there may be as many as there are columns."""

router = APIRouter(prefix="/predict", tags=["predict"])


@router.post(
    "/batch",
    response_class=Response,
    responses={
        200: BATCH_ANSWER,
        **problems(
            UnknownModelError,
            UnsupportedMediaTypeError,
            InvalidRequestError,
            CorruptArtifactError,
            ServiceUnavailableError,
            StorageFullError,
        ),
    },
    openapi_extra={"requestBody": BATCH_BODY},
)
async def predict_batch(
    query: Annotated[BatchQuery, Query()], request: Request
) -> Response:
    """Decide the rows of a file: CSV, Parquet or an Arrow stream.

    The same file comes back, rows in order, every column as it was, with the decisions
    in columns of their own. A row gets the same answer as by POST /predict, at the same
    costs: those of training, or the four of the query, where the model can be asked
    for other costs. Text is sent back as UTF-8.
    """
    media_type = _media_type(request)
    charset = charset_of(request) if MEDIA_TYPES[media_type] == "csv" else None
    options = read_options(query, tab="tab" in media_type, charset=charset)
    return await decide_file(request, query, MEDIA_TYPES[media_type], options)


async def decide_file(
    request: Request,
    query: BatchQuery,
    named: Format | None = None,
    options: ReadOptions | None = None,
    *,
    queue: bool = True,
) -> FileResponse:
    """Answer the file that a request brings.

    Parameters
    ----------
    request : Request
    query : BatchQuery
    named : Format, optional
        What the file is; else its name says it.
    options : ReadOptions, optional
        How CSV is to be read; else as it shows itself.
    queue : bool
        Whether rejected rows become cases, where they are reviewed.
    """
    state, pool = state_of(request), reader_pool_of(request)
    costs = asked_costs(query)
    predict: PredictEndpoint = request.app.state.predict
    version = await predict.resolve(query.model)
    if not queue:
        version = replace(version, review=None)
    store = DatasetStore(state.settings.datasets_dir)
    entry = predict.journal.entry(request.scope["request_id"])
    with pool.admitted(), store.staging() as folder:
        source = folder.resolve() / "sent"
        received = await receive(request, source)
        form = named or received.format(None)
        if form == "svmlight":
            raise _no_batch()
        if options is None:
            options = ReadOptions()
        job = BatchJob(
            state.store.place,
            version,
            form,
            options,
            limits_of(state.settings),
            source,
            folder.resolve() / "answered",
            None if entry is None else entry.stamp,
            costs,
            query.reference,
            state.settings.database,
        )
        tally = await _answered(job, pool, predict, request)
        if entry is not None:
            entry.rows = tally.rows
            await run_in_threadpool(predict.journal.adopt, entry, job.log)
        file = await run_in_threadpool(job.target.open, "rb")
        size = job.target.stat().st_size
    predict.note(version, tally)
    kinds = (name for name, kind in MEDIA_TYPES.items() if kind == form)
    media_type = next(kinds) if named is None else media_type_of(request)
    return FileResponse(file, size, media_type, _headers(version, tally))


def _headers(version: ResolvedVersion, tally: Tally) -> dict[str, str]:
    headers = {
        "demur-model": f"{version.name}:{version.version}",
        "demur-rows": str(tally.rows),
        "demur-rejected": str(tally.rejected),
        "demur-warned": str(tally.warned),
    }
    if tally.notes:
        headers["demur-notes"] = json.dumps(tally.notes[:_MOST_NOTES])
    return headers


async def _answered(
    job: BatchJob, pool: ReaderPool, predict: PredictEndpoint, request: Request
) -> Tally:
    """Answer a file by the version that was there when it began to come.

    That version may have been given a new artifact since, or be gone: it answers
    nevertheless where it was loaded already.
    """
    while True:
        try:
            return await pool.run(answer_file, job, unless=until_gone(request))
        except CorruptArtifactError:
            version = job.version
            try:
                now = await predict.resolve(f"{version.name}:{version.version}")
            except UnknownModelError:
                msg = (
                    f"version {version.version} of the model was deleted while the file"
                    " came; see GET /models"
                )
                raise UnknownModelError(msg) from None
            if now.sha256 == version.sha256:
                raise
            job = replace(job, version=replace(now, review=version.review))


def _media_type(request: Request) -> str:
    media_type = media_type_of(request)
    if MEDIA_TYPES.get(media_type, "svmlight") == "svmlight":
        raise _no_batch()
    return media_type


def _no_batch() -> UnsupportedMediaTypeError:
    taken = ", ".join(name for name, form in MEDIA_TYPES.items() if form != "svmlight")
    return UnsupportedMediaTypeError(f"send {taken}")
