"""PUT, GET and DELETE /models/{name}/review: how rejects are reviewed."""

from typing import Annotated

from fastapi import APIRouter, Body, Query, Request
from fastapi.openapi.models import Example

from app.db.session import Reading
from app.errors import (
    ConflictError,
    InvalidRequestError,
    MalformedRequestError,
    UnknownModelError,
    UnknownPolicyError,
)
from app.models.publication import wait_until_visible
from app.models.routes import Name
from app.reviews import policies
from app.reviews.cases import withdraw_all
from app.reviews.schemas import OpenCasesQuery, PolicyAnswer, PolicyRequest
from app.state import state_of
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["reviews"])

POLICIES: dict[str, Example] = {
    "defaults": {"value": {}},
    "chosen": {
        "value": {
            "audit": {"+1": 0.02, "-1": 0.03},
            "due_minutes": 240,
            "second_opinion": {"share": 0.2},
        }
    },
}


@router.put(
    "/{name}/review",
    responses=problems(
        UnknownModelError, ConflictError, MalformedRequestError, InvalidRequestError
    ),
)
def set_policy(
    name: Name,
    asked: Annotated[PolicyRequest, Body(openapi_examples=POLICIES)],
    request: Request,
) -> PolicyAnswer:
    """Have the rejects of a model reviewed: from the answer on, in every process.

    The whole policy is set; what is left out has its default.
    """
    with state_of(request).database.write() as session:
        answer = policies.put(session, name, asked)
    wait_until_visible()
    return answer


@router.get(
    "/{name}/review",
    responses=problems(UnknownModelError, UnknownPolicyError, InvalidRequestError),
)
def get_policy(name: Name, session: Reading) -> PolicyAnswer:
    """Tell how the rejects of a model are reviewed."""
    return policies.tell(name, policies.known_policy(session, name))


@router.delete(
    "/{name}/review",
    status_code=204,
    responses=problems(
        UnknownModelError, UnknownPolicyError, ConflictError, InvalidRequestError
    ),
)
def delete_policy(
    name: Name, query: Annotated[OpenCasesQuery, Query()], request: Request
) -> None:
    """Keep nothing of rejects any more; refused (409) while cases are open.

    `open_cases=withdraw` withdraws these, and the caller hears of each.
    """
    with state_of(request).database.write() as session:
        if query.open_cases == "withdraw":
            withdraw_all(session, policies.known_policy(session, name).row.model_id)
        policies.delete(session, name)
    wait_until_visible()
