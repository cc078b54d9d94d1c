"""GET /models/{name}/versions/{version}/export."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from app.errors import (
    ConflictError,
    CorruptArtifactError,
    InvalidRequestError,
    UnknownModelError,
)
from app.export import service
from app.models.routes import Name, Version
from app.state import state_of
from app.strict import QueryModel
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["models"])


class ExportQuery(QueryModel):
    """Which file is wanted."""

    format: service.Format
    precision: service.Precision = "float64"


@router.get(
    "/{name}/versions/{version}/export",
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {
                each.media_type: {"schema": {"type": "string", "format": "binary"}}
                for each in service.FORMATS.values()
            },
            "headers": {
                "Content-Disposition": {
                    "description": "The name of the file.",
                    "schema": {"type": "string"},
                },
                "Demur-Not-Included": {
                    "description": "What of the model the file leaves out; absent"
                    " where that is nothing.",
                    "schema": {"type": "string"},
                },
            },
        },
        **problems(
            UnknownModelError,
            ConflictError,
            InvalidRequestError,
            CorruptArtifactError,
        ),
    },
)
def export_version(
    name: Name,
    version: Version,
    query: Annotated[ExportQuery, Query()],
    request: Request,
) -> Response:
    """Return a version as one file that decides without the service.

    Imputation, categories, score, calibration, thresholds and costs are in it; guards
    are not. A kernel machine's file holds training rows, encoded.
    """
    state = state_of(request)
    made = service.export(state, name, version, query.format, query.precision)
    headers = {"content-disposition": f'attachment; filename="{made.name}"'}
    if made.not_included:
        headers["demur-not-included"] = ", ".join(made.not_included)
    return Response(made.content, media_type=made.media_type, headers=headers)
