"""POST /train."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Request, Response

from app.db.session import Transaction
from app.errors import (
    InvalidRequestError,
    KeyReusedError,
    MalformedRequestError,
    QueueFullError,
)
from app.jobs import replays
from app.jobs.schemas import JobAnswer
from app.state import state_of
from app.train.openapi import REQUEST_BODY
from app.train.queueing import queue
from app.web.bodies import body_of
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(tags=["train"])


IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[!-~]+$",
        description="A fresh token of visible ASCII for each training that is meant "
        "once. Sent again with the same body, byte for byte, by the same API key, it "
        "gets the first 202 answer again and nothing is queued; with another body 409. "
        "It is remembered for DEMUR_IDEMPOTENCY_HOURS (24).",
        examples=["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ),
]


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
                },
                "Idempotency-Replayed": {
                    "description": "`true` where this is an earlier answer again.",
                    "schema": {"type": "string"},
                },
            },
        },
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
    repeatable = None
    if idempotency_key is not None:
        sender = request.headers.get("authorization", "")
        repeatable = replays.Repeatable.of(sender, idempotency_key, body)
    answer, again = queue(session, state_of(request), body, repeatable)
    if again:
        response.headers["Idempotency-Replayed"] = "true"
    prefix = request.scope.get("root_path", "")
    response.headers["Location"] = f"{prefix}/jobs/{answer.id}"
    return answer
