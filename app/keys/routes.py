"""POST /keys, GET /keys, DELETE /keys/{id}; GET /people, PATCH /people/{id}.

For keys of scope admin.
"""

import time
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.openapi.models import Example

from app.db.session import Reading
from app.errors import (
    ConflictError,
    ForbiddenError,
    InvalidRequestError,
    MalformedRequestError,
    UnknownKeyError,
    UnknownPersonError,
)
from app.keys import people, service
from app.keys.cache import LEASE_S, KeyCache
from app.keys.schemas import (
    IssuedKey,
    KeyAnswer,
    KeyRequest,
    KeysAnswer,
    KeysQuery,
    PeopleListAnswer,
    PersonAnswer,
    PersonChange,
)
from app.state import state_of
from app.web.openapi import problems

__all__ = ["router"]


def _require_keys(request: Request) -> None:
    """Refuse everybody while there is no key: nobody is the administrator then."""
    keys: KeyCache = request.app.state.keys
    if not keys.last().locked:
        msg = (
            "this service asks for no keys, so nobody may issue them here: make the"
            " first one where it runs, by: demur key create --scope admin --name NAME"
        )
        raise ForbiddenError(msg)


router = APIRouter(tags=["keys"], dependencies=[Depends(_require_keys)])

EXAMPLES: dict[str, Example] = {
    "predict": {"value": {"name": "triage desk", "scopes": ["predict"]}},
    "review": {"value": {"name": "laptop", "scopes": ["review"], "person": "Anna"}},
}

KeyId = Annotated[
    str,
    Path(
        description="The id of a key, not its text.",
        examples=["2f1c7c52-5a0e-4f6e-9a55-6d0f6f3c1b11"],
    ),
]

PersonId = Annotated[
    str,
    Path(
        description="A person's id, as GET /people has it.",
        examples=["9d1c3c55-4b1e-4b1e-8a44-0f0b6f3c1b22"],
    ),
]
CHANGES: dict[str, Example] = {"left": {"value": {"active": False}}}


@router.post(
    "/keys",
    status_code=201,
    responses=problems(ForbiddenError, MalformedRequestError, InvalidRequestError),
)
def issue_key(
    asked: Annotated[KeyRequest, Body(openapi_examples=EXAMPLES)],
    request: Request,
    response: Response,
) -> IssuedKey:
    """Issue a key. Its text is in this answer and nowhere else: only a digest is kept.

    Once the answer is there, the key opens every process of the service.
    """
    response.headers["Cache-Control"] = "no-store"
    with state_of(request).database.write() as session:
        issued = service.issue(session, asked.name, asked.scopes, asked.person)
    _wait_for_every_process()
    return issued


@router.get("/keys", responses=problems(ForbiddenError, InvalidRequestError))
def list_keys(query: Annotated[KeysQuery, Query()], session: Reading) -> KeysAnswer:
    """List the issued keys, newest first, with those that were revoked."""
    return service.page(session, query)


@router.delete("/keys/{key_id}", responses=problems(ForbiddenError, UnknownKeyError))
def revoke_key(key_id: KeyId, request: Request) -> KeyAnswer:
    """Revoke a key for good: once the answer is there, it opens nothing any more."""
    with state_of(request).database.write() as session:
        revoked = service.revoke(session, key_id)
    _wait_for_every_process()
    return revoked


@router.get("/people", responses=problems(ForbiddenError))
def list_people(session: Reading) -> PeopleListAnswer:
    """List everybody to whom keys belong or belonged."""
    return people.list_people(session)


@router.patch(
    "/people/{person_id}",
    responses=problems(
        ForbiddenError,
        UnknownPersonError,
        ConflictError,
        MalformedRequestError,
        InvalidRequestError,
    ),
)
def change_person(
    person_id: PersonId,
    asked: Annotated[PersonChange, Body(openapi_examples=CHANGES)],
    request: Request,
) -> PersonAnswer:
    """Rename somebody, or let their keys open nothing (or something again)."""
    with state_of(request).database.write() as session:
        changed = people.change(session, person_id, asked)
    _wait_for_every_process()
    return changed


def _wait_for_every_process() -> None:
    """Return when no process goes by what it knew before the last commit."""
    time.sleep(LEASE_S + 0.01)
