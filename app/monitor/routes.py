"""GET and PUT /models/{name}/monitor, and the acknowledgement of an alarm."""

from typing import Annotated

from fastapi import APIRouter, Body, Query, Request
from fastapi.openapi.models import Example

from app.db.session import Reading, Transaction
from app.errors import (
    ConflictError,
    InvalidRequestError,
    MalformedRequestError,
    UnknownAlarmError,
    UnknownModelError,
)
from app.keys import people
from app.models.routes import Name
from app.monitor import service
from app.monitor.schemas import (
    Acknowledgement,
    MonitorAnswer,
    MonitorQuery,
    MonitorRequest,
)
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["monitor"])

_DAYS = MonitorQuery().days

WATCHED: dict[str, Example] = {
    "defaults": {"value": {}},
    "limits": {"value": {"limits": {"reject_rate": 0.2, "max_error": {"-1": 0.05}}}},
}
SEEN: dict[str, Example] = {
    "seen": {
        "value": {
            "alarm": "0b0e0c56-2f0b-4d57-9a64-5f0b6f3c1b22",
            "note": "a new form since Monday; training anew",
        }
    }
}


@router.get(
    "/{name}/monitor", responses=problems(UnknownModelError, InvalidRequestError)
)
def get_monitor(
    name: Name, query: Annotated[MonitorQuery, Query()], session: Reading
) -> MonitorAnswer:
    """Tell what a model has answered, and which alarms are on.

    Counts are kept of every model, over all processes and restarts; they need no labels
    and hold nothing personal. Alarms are raised once somebody has set what is watched.
    """
    return service.tell(session, name, query.days)


@router.put(
    "/{name}/monitor",
    responses=problems(
        UnknownModelError, ConflictError, MalformedRequestError, InvalidRequestError
    ),
)
def set_monitor(
    name: Name,
    asked: Annotated[MonitorRequest, Body(openapi_examples=WATCHED)],
    session: Transaction,
) -> MonitorAnswer:
    """Set what is watched; what is left out has its default."""
    service.put(session, name, asked)
    return service.tell(session, name, _DAYS)


@router.post(
    "/{name}/monitor/acknowledge",
    responses=problems(
        UnknownModelError,
        UnknownAlarmError,
        ConflictError,
        MalformedRequestError,
        InvalidRequestError,
    ),
)
def acknowledge_alarm(
    name: Name,
    asked: Annotated[Acknowledgement, Body(openapi_examples=SEEN)],
    request: Request,
    session: Transaction,
) -> MonitorAnswer:
    """Note that an alarm was seen, and what was found; its evidence begins anew."""
    person = request.scope.get("person") or people.take_in(session, people.OPERATOR)
    service.acknowledge(session, name, asked, person)
    return service.tell(session, name, _DAYS)
