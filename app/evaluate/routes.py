"""POST /models/{name}/versions/{version}/evaluate."""

from fastapi import APIRouter, Request

from app.errors import MalformedRequestError
from app.evaluate import service
from app.evaluate.openapi import REQUEST_BODY
from app.evaluate.schemas import EvaluateAnswer
from app.models.routes import OF_A_VERSION, Name, Version
from app.state import state_of
from app.web.bodies import SentBody
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["models"])


@router.post(
    "/{name}/versions/{version}/evaluate",
    responses=problems(MalformedRequestError, *OF_A_VERSION),
    openapi_extra={"requestBody": REQUEST_BODY},
)
def evaluate_version(
    name: Name,
    version: Version,
    body: SentBody,
    request: Request,
) -> EvaluateAnswer:
    """Tell how a version does on newly labelled rows.

    The rows go through guards, scorer and rule as predictions do. The figures are those
    of a training's own evaluation, beside which they stand; a stored promise is held
    against the rows by exact binomial intervals. Nothing is stored. Rows that training
    has seen flatter the model.
    """
    return service.evaluate_version(state_of(request), name, version, body)
