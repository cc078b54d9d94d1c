"""POST /keys, GET /keys, DELETE /keys/{id}: for keys of scope admin."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.openapi.models import Example

from app.db.session import Reading, Transaction
from app.errors import (
    ForbiddenError,
    InvalidRequestError,
    MalformedRequestError,
    UnknownKeyError,
)
from app.keys import service
from app.keys.ring import KeyRing
from app.keys.schemas import IssuedKey, KeyAnswer, KeyRequest, KeysAnswer, KeysQuery
from app.web.openapi import problems

__all__ = ["router"]


def _require_keys(request: Request) -> None:
    """Refuse everybody while there is no key: nobody is the administrator then."""
    ring: KeyRing = request.app.state.keys
    if not ring.last().locked:
        msg = (
            "this service asks for no keys, so nobody may issue them here: make the"
            " first one where it runs, by: demur key create --scope admin --name NAME"
        )
        raise ForbiddenError(msg)


router = APIRouter(prefix="/keys", tags=["keys"], dependencies=[Depends(_require_keys)])

EXAMPLES: dict[str, Example] = {
    "predict": {"value": {"name": "triage desk", "scope": "predict"}}
}

KeyId = Annotated[
    str,
    Path(
        description="The id of a key, not its text.",
        examples=["2f1c7c52-5a0e-4f6e-9a55-6d0f6f3c1b11"],
    ),
]


@router.post(
    "",
    status_code=201,
    responses=problems(ForbiddenError, MalformedRequestError, InvalidRequestError),
)
def issue_key(
    asked: Annotated[KeyRequest, Body(openapi_examples=EXAMPLES)],
    session: Transaction,
    response: Response,
) -> IssuedKey:
    """Issue a key. Its text is in this answer and nowhere else: only a digest is kept.

    It opens every process of the service within a second.
    """
    response.headers["Cache-Control"] = "no-store"
    return service.issue(session, asked.name, asked.scope)


@router.get("", responses=problems(ForbiddenError, InvalidRequestError))
def list_keys(query: Annotated[KeysQuery, Query()], session: Reading) -> KeysAnswer:
    """List the issued keys, newest first, with those that were revoked."""
    return service.page(session, query)


@router.delete("/{key_id}", responses=problems(ForbiddenError, UnknownKeyError))
def revoke_key(key_id: KeyId, session: Transaction) -> KeyAnswer:
    """Revoke a key for good: a second later it opens nothing in any process."""
    return service.revoke(session, key_id)
