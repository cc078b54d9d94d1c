"""What a version would be at other prices: made, looked at, or drawn as curves."""

from fastapi import APIRouter, Request, Response

from app.errors import (
    KeyReusedError,
    MalformedRequestError,
    ServiceUnavailableError,
    StorageFullError,
)
from app.jobs.repeating import REPLAYED, IdempotencyKey, repeatable
from app.models.routes import OF_A_VERSION, Name, Version
from app.reprice import service
from app.reprice.openapi import REQUEST_BODY
from app.reprice.schemas import (
    CurvesAnswer,
    PreviewAnswer,
    RepriceAnswer,
    RepriceRequest,
)
from app.state import state_of
from app.web.bodies import SentBody, read_json
from app.web.openapi import located, problems
from app.web.paths import locate

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["models"])


@router.post(
    "/{name}/versions/{version}/reprice",
    status_code=201,
    responses={
        **located(
            201,
            "A new version; it is described at the address in Location",
            "The new version's",
            REPLAYED,
        ),
        **problems(
            MalformedRequestError,
            *OF_A_VERSION,
            KeyReusedError,
            ServiceUnavailableError,
            StorageFullError,
        ),
    },
    openapi_extra={"requestBody": REQUEST_BODY},
)
def reprice_version(
    name: Name,
    version: Version,
    body: SentBody,
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
    made = answer.model
    locate(request, response, f"/models/{made.name}/versions/{made.version}")
    return answer


@router.post(
    "/{name}/versions/{version}/preview",
    responses=problems(MalformedRequestError, *OF_A_VERSION),
    openapi_extra={"requestBody": REQUEST_BODY},
)
def preview_version(
    name: Name,
    version: Version,
    body: SentBody,
    request: Request,
) -> PreviewAnswer:
    """Tell what a re-pricing would give, and make nothing.

    Thresholds, the table of decisions and the cost at other prices, by another rule or
    within a limit: the figures that `reprice` would answer with.
    """
    asked = read_json(body, RepriceRequest)
    return service.preview(state_of(request), name, version, asked)


@router.get(
    "/{name}/versions/{version}/curves",
    responses=problems(*OF_A_VERSION),
)
def get_curves(name: Name, version: Version, request: Request) -> CurvesAnswer:
    """Return curves of the held-out rows: risk, cost, calibration, scores.

    All are binned; no single row can be told from them.
    """
    return service.curves(state_of(request), name, version)
