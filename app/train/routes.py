"""POST /train."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from app.datasets.training import note_use, outline
from app.db.session import Transaction
from app.errors import InvalidRequestError, MalformedRequestError
from app.features.table import Table
from app.jobs import service as jobs
from app.jobs.schemas import JobAnswer, job_answer
from app.state import state_of
from app.train import service
from app.train.openapi import REQUEST_BODY
from app.train.schemas import DatasetData
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(tags=["train"])


async def _body(request: Request) -> bytes:
    return await request.body()


@router.post(
    "/train",
    status_code=202,
    responses={
        202: {
            "description": "Queued; follow the job at the address in Location",
            "headers": {
                "Location": {
                    "description": "The job's address.",
                    "schema": {"type": "string"},
                }
            },
        },
        **problems(MalformedRequestError, InvalidRequestError),
    },
    openapi_extra={"requestBody": REQUEST_BODY},
)
def train(
    body: Annotated[bytes, Depends(_body)],
    session: Transaction,
    request: Request,
    response: Response,
) -> JobAnswer:
    """Queue a training.

    The request is checked whole before it is queued: types, labels, costs, and whether
    the rule fits the trainer. The rows are kept until the job ends. Of a data set only
    the columns are checked at once; its rows are read and checked by the job.
    """
    most_rows = state_of(request).settings.max_training_rows

    def columns_of(data: DatasetData) -> Table:
        return outline(session, data.id, data.columns, most_rows)

    submission = service.accept(body, columns_of)
    job = jobs.enqueue(session, model=submission.request.model, request_body=body)
    if isinstance(submission.request.data, DatasetData):
        note_use(session, submission.request.data.id, job.id)
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/jobs/{job.id}"
    return job_answer(job)
