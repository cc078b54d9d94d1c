"""GET /models, GET /models/{name}, GET /models/{name}/versions/{version}."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BeforeValidator

from app.db.session import Reading
from app.errors import (
    ApiError,
    ConflictError,
    CorruptArtifactError,
    InvalidRequestError,
    UnknownModelError,
)
from app.models import service
from app.models.schemas import (
    ModelAnswer,
    ModelQuery,
    ModelsAnswer,
    ModelsQuery,
    VersionAnswer,
)
from app.web.openapi import problems

__all__ = ["OF_A_VERSION", "Name", "Version", "router"]

OF_A_VERSION: tuple[type[ApiError], ...] = (
    UnknownModelError,
    ConflictError,
    InvalidRequestError,
    CorruptArtifactError,
)
"""How a question to a version's file, as training left it, may fail."""

router = APIRouter(prefix="/models", tags=["models"])

Name = Annotated[str, Path(description="The model's name.", examples=["pima"])]


def _plain(text: Any) -> Any:
    # A number's other spellings (1_0, +1, 1.0) name no version.
    if isinstance(text, str) and not (text.isascii() and text.isdigit()):
        msg = "a version is a whole number, written in digits alone"
        raise ValueError(msg)
    return text


Version = Annotated[
    int,
    BeforeValidator(_plain),
    Path(description="A version's number.", examples=[1]),
]


@router.get("", responses=problems(InvalidRequestError))
def list_models(
    query: Annotated[ModelsQuery, Query()], session: Reading
) -> ModelsAnswer:
    """List the models by name."""
    return service.list_models(session, query)


@router.get("/{name}", responses=problems(UnknownModelError, InvalidRequestError))
def get_model(
    name: Name, query: Annotated[ModelQuery, Query()], session: Reading
) -> ModelAnswer:
    """Describe a model: its newest version, and which versions there are."""
    return service.describe_model(session, name, query)


@router.get(
    "/{name}/versions/{version}",
    responses=problems(UnknownModelError, InvalidRequestError),
)
def get_version(name: Name, version: Version, session: Reading) -> VersionAnswer:
    """Describe one version: how it was trained, decides and was evaluated."""
    return service.describe_version(session, name, version)
