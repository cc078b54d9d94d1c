"""GET /livez, GET /readyz, GET /metrics."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import ConfigDict
from starlette.responses import Response

from app.db.session import Reading
from app.errors import NotReadyError
from app.health.metrics import CONTENT_TYPE, exposition
from app.health.readiness import missing
from app.state import state_of
from app.strict import Answer
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(tags=["health"])


class Alive(Answer):
    """The process answers."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "alive"}]})

    status: Literal["alive"]


class Ready(Answer):
    """Everything that requests need is there."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "ready"}]})

    status: Literal["ready"]


@router.get("/livez")
async def livez() -> Alive:
    """Tell that the process answers; look at nothing else."""
    return Alive(status="alive")


@router.get("/readyz", responses=problems(NotReadyError))
def readyz(request: Request) -> Ready:
    """Tell whether database, tables and data folder are as they should be."""
    if errors := missing(state_of(request)):
        raise NotReadyError(errors[0].detail, errors)
    return Ready(status="ready")


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
def metrics(request: Request, session: Reading) -> Response:
    """Give the counters to Prometheus."""
    return Response(
        exposition(state_of(request).metrics, session),
        headers={"content-type": CONTENT_TYPE},
    )
