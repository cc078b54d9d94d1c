"""POST /train."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from app.db.session import Transaction
from app.errors import (
    InvalidRequestError,
    KeyReusedError,
    MalformedRequestError,
    QueueFullError,
)
from app.jobs.repeating import REPLAYED, IdempotencyKey, repeatable
from app.jobs.schemas import JobAnswer
from app.state import state_of
from app.train.openapi import REQUEST_BODY
from app.train.queueing import queue
from app.web.bodies import body_of
from app.web.openapi import located, problems

__all__ = ["router"]

router = APIRouter(tags=["train"])


@router.post(
    "/train",
    status_code=202,
    responses={
        **located(
            202,
            "Queued; follow the job at the address in Location",
            "The job's",
            REPLAYED,
        ),
        **problems(
            MalformedRequestError, InvalidRequestError, KeyReusedError, QueueFullError
        ),
    },
    openapi_extra={"requestBody": REQUEST_BODY},
)
def train(
    body: Annotated[bytes, Depends(body_of)],
    session: Transaction,
    request: Request,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> JobAnswer:
    """Queue a training.

    The request is checked whole before it is queued: types, labels, costs, and whether
    the rule fits the trainer. The rows are kept until the job ends. Of a data set only
    the columns are checked at once; its rows are read and checked by the job.
    """
    key = repeatable(request, idempotency_key, body)
    answer, replayed = queue(session, state_of(request), body, key)
    if replayed:
        response.headers["Idempotency-Replayed"] = "true"
    prefix = request.scope.get("root_path", "")
    response.headers["Location"] = f"{prefix}/jobs/{answer.id}"
    return answer
