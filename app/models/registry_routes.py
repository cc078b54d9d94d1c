"""Aliases, tags and deletions: what may change about models and versions."""

from typing import Annotated

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.openapi.models import Example

from app.db.session import Reading, Transaction
from app.errors import (
    ConflictError,
    CorruptArtifactError,
    GateFailedError,
    InvalidRequestError,
    MalformedRequestError,
    UnknownModelError,
)
from app.models import aliases, removal, service
from app.models.publication import wait_until_visible
from app.models.registry_schemas import (
    AliasAnswer,
    AliasesAnswer,
    AliasMoved,
    DeletedVersions,
    Labelling,
    MoveAlias,
    TagVersion,
    VersionTags,
)
from app.models.routes import Name, Version
from app.models.schemas import ModelAnswer, ModelQuery
from app.reviews.cases import withdraw_all
from app.reviews.schemas import OpenCasesQuery
from app.state import AppState, state_of
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["models"])

AliasName = Annotated[str, Path(description="The alias.", examples=["champion"])]
MOVES: dict[str, Example] = {
    "plain": {"value": {"version": 1}},
    "gated": {
        "value": {
            "version": 1,
            "gates": {"max_reject_rate": 0.9, "no_worse": True},
        }
    },
}
LABELS: dict[str, Example] = {
    "both": {"value": {"description": "Pima, first trial", "tags": {"team": "risk"}}}
}
TAGS: dict[str, Example] = {"one": {"value": {"tags": {"data": "2026-02"}}}}


@router.get(
    "/{name}/aliases", responses=problems(UnknownModelError, InvalidRequestError)
)
def list_aliases(name: Name, session: Reading) -> AliasesAnswer:
    """List the aliases of a model."""
    return AliasesAnswer(aliases=aliases.listed(session, name))


@router.get(
    "/{name}/aliases/{alias}",
    responses=problems(UnknownModelError, InvalidRequestError),
)
def get_alias(name: Name, alias: AliasName, session: Reading) -> AliasAnswer:
    """Tell where an alias points."""
    return aliases.find(session, name, alias)


@router.put(
    "/{name}/aliases/{alias}",
    responses=problems(
        UnknownModelError,
        GateFailedError,
        CorruptArtifactError,
        MalformedRequestError,
        InvalidRequestError,
    ),
)
def move_alias(
    name: Name,
    alias: AliasName,
    asked: Annotated[MoveAlias, Body(openapi_examples=MOVES)],
    request: Request,
) -> AliasMoved:
    """Point an alias at a version, at once; make it if need be.

    A bar of the gates that the version misses, or that cannot be held against
    anything, refuses the move (409) and is named with both figures. When this answers,
    every process answers `name@alias` by the new version.
    """
    state = state_of(request)
    with state.database.write() as session:
        moved = aliases.move(session, state.store, name, alias, asked)
    wait_until_visible()
    return moved


@router.delete(
    "/{name}/aliases/{alias}",
    responses=problems(UnknownModelError, InvalidRequestError),
)
def delete_alias(name: Name, alias: AliasName, request: Request) -> AliasesAnswer:
    """Delete an alias, its version stays; answer with those that are left."""
    state = state_of(request)
    with state.database.write() as session:
        aliases.remove(session, name, alias)
        left = aliases.listed(session, name)
    wait_until_visible()
    return AliasesAnswer(aliases=left)


@router.patch(
    "/{name}",
    responses=problems(UnknownModelError, MalformedRequestError, InvalidRequestError),
)
def label_model(
    name: Name,
    asked: Annotated[Labelling, Body(openapi_examples=LABELS)],
    session: Transaction,
) -> ModelAnswer:
    """Set the description and the tags of a model."""
    service.label(session, name, asked)
    return service.describe_model(session, name, ModelQuery())


@router.patch(
    "/{name}/versions/{version}",
    responses=problems(UnknownModelError, MalformedRequestError, InvalidRequestError),
)
def tag_version(
    name: Name,
    version: Version,
    asked: Annotated[TagVersion, Body(openapi_examples=TAGS)],
    session: Transaction,
) -> VersionTags:
    """Set the tags of a version; nothing else of a version ever changes."""
    return service.tag(session, name, version, asked)


@router.delete(
    "/{name}",
    responses=problems(UnknownModelError, ConflictError, InvalidRequestError),
)
def delete_model(
    name: Name, query: Annotated[OpenCasesQuery, Query()], request: Request
) -> DeletedVersions:
    """Delete a model with all its versions, and the files that no other uses.

    Refused (409) while an alias points at a version, a job trains another, or cases
    are open (`open_cases=withdraw` withdraws them). Numbers are not used again: a later
    training goes on from the last.
    """
    state = state_of(request)
    with state.database.write() as session:
        if query.open_cases == "withdraw":
            withdraw_all(session, service.known_model(session, name)[0].id)
        gone = removal.remove_model(session, name)
    return _gone(state, name, gone)


@router.delete(
    "/{name}/versions/{version}",
    responses=problems(UnknownModelError, ConflictError, InvalidRequestError),
)
def delete_version(name: Name, version: Version, request: Request) -> DeletedVersions:
    """Delete a version, and its file where no other version uses it.

    Refused (409) while an alias points at it or its job has not ended.
    """
    state = state_of(request)
    with state.database.write() as session:
        gone = removal.remove_version(session, name, version)
    return _gone(state, name, gone)


def _gone(state: AppState, name: str, gone: list[removal.Gone]) -> DeletedVersions:
    """Answer when no process answers by what is gone any more."""
    wait_until_visible()
    for one in gone:
        with state.database.write() as session:
            removal.remove_file(session, state.store, one)
    return DeletedVersions(name=name, versions=sorted(one.version for one in gone))
