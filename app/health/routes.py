"""GET /livez, GET /readyz, GET /metrics."""

from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.db.session import Reading
from app.errors import NotReadyError
from app.health.metrics import CONTENT_TYPE, exposition
from app.health.readiness import NO_WORKER, missing, notes_on
from app.monitor.service import alarms_on
from app.state import state_of
from app.strict import Answer, with_examples
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(tags=["health"])


class Alive(Answer):
    """The process answers."""

    model_config = with_examples({"status": "alive"})

    status: Literal["alive"]


class Ready(Answer):
    """Everything that requests need is there."""

    model_config = with_examples(
        {"status": "ready"}, {"status": "ready", "notes": [NO_WORKER]}
    )

    status: Literal["ready"]
    notes: list[str] | None = None
    """What does not work though requests are answered; left out where all does."""


@router.get("/livez")
async def check_liveness() -> Alive:
    """Tell that the process answers; look at nothing else."""
    return Alive(status="alive")


@router.get(
    "/readyz", responses=problems(NotReadyError), response_model_exclude_none=True
)
def check_readiness(request: Request) -> Ready:
    """Tell whether database, tables and data folder are as they should be.

    Where no worker lives, requests are answered all the same, and a note says so.
    """
    state = state_of(request)
    if errors := missing(state):
        raise NotReadyError(errors[0].detail, errors)
    return Ready(status="ready", notes=notes_on(state) or None)


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {
            "description": "Prometheus' text format",
            "content": {
                "text/plain": {
                    "schema": {"type": "string"},
                    "example": 'demur_jobs{status="queued"} 0.0\n',
                }
            },
        }
    },
)
def read_metrics(request: Request, session: Reading) -> Response:
    """Give the counters to Prometheus."""
    return Response(
        exposition(state_of(request).metrics, session, alarms_on(session)),
        headers={"content-type": CONTENT_TYPE},
    )
