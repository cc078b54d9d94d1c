"""POST /models/{name}/versions/{version}/reprice."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from app.errors import (
    ConflictError,
    CorruptArtifactError,
    InvalidRequestError,
    KeyReusedError,
    MalformedRequestError,
    ServiceUnavailableError,
    StorageFullError,
    UnknownModelError,
)
from app.jobs.repeating import REPLAYED, IdempotencyKey, repeatable
from app.models.routes import Name, Version
from app.reprice import service
from app.reprice.openapi import REQUEST_BODY
from app.reprice.schemas import RepriceAnswer, RepriceRequest
from app.state import state_of
from app.web.bodies import body_of, read_json
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["models"])


@router.post(
    "/{name}/versions/{version}/reprice",
    status_code=201,
    responses={
        201: {
            "description": "A new version; it is described at the address in Location",
            "headers": {
                "Location": {
                    "description": "The new version's address.",
                    "schema": {"type": "string"},
                },
                **REPLAYED,
            },
        },
        **problems(
            MalformedRequestError,
            UnknownModelError,
            ConflictError,
            KeyReusedError,
            InvalidRequestError,
            CorruptArtifactError,
            ServiceUnavailableError,
            StorageFullError,
        ),
    },
    openapi_extra={"requestBody": REQUEST_BODY},
)
def reprice_version(
    name: Name,
    version: Version,
    body: Annotated[bytes, Depends(body_of)],
    request: Request,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> RepriceAnswer:
    """Choose the thresholds of a version anew, without training.

    The new version has the same scorer, and thresholds for other costs, by another rule
    or within a limit, chosen on the scores that training kept. When this answers, every
    `POST /predict` by name is answered by the new version. It is refused (409) where
    the scorer itself depends on what changes, unless a rule on the score is asked for,
    and for promises where no calibration part was kept.
    """
    asked = read_json(body, RepriceRequest)
    # Which version is re-priced is in the address, not in the body.
    source = f"/models/{name}/versions/{version}/reprice "
    once = repeatable(request, idempotency_key, body, source)
    answer, again = service.reprice(state_of(request), name, version, asked, once)
    if again:
        response.headers["Idempotency-Replayed"] = "true"
    root = request.scope.get("root_path", "")
    made = answer.model
    response.headers["Location"] = f"{root}/models/{made.name}/versions/{made.version}"
    return answer
