"""What a model's reviewers teach: data sets, a report, and what a reject costs."""

from typing import Annotated

from fastapi import APIRouter, Body, Request, Response
from fastapi.openapi.models import Example

from app.datasets.errors import CorruptDatasetError
from app.db.session import Reading
from app.errors import (
    ConflictError,
    CorruptArtifactError,
    InvalidRequestError,
    MalformedRequestError,
    StorageFullError,
    UnknownModelError,
)
from app.models.routes import Name
from app.reprice.schemas import PreviewAnswer, RepriceRequest
from app.reprice.service import preview
from app.reviews import learning, report
from app.reviews.measured import (
    PriceRequest,
    PricesAnswer,
    ReportAnswer,
    ReviewDataset,
    ReviewDatasetRequest,
)
from app.reviews.proposal import proposed
from app.state import AppState, state_of
from app.web.openapi import problems
from app.web.paths import locate

__all__ = ["router"]

router = APIRouter(prefix="/models", tags=["reviews"])

PRICES: dict[str, Example] = {
    "estimated": {"value": {"minute_price": 0.04}},
    "by late truth": {"value": {"minute_price": 0.04, "by": "outcomes"}},
}
DATASETS: dict[str, Example] = {
    "rejects and audits": {"value": {}},
    "rejects alone": {"value": {"alone": True}},
}


@router.get(
    "/{name}/review/report",
    responses=problems(UnknownModelError, InvalidRequestError),
)
def get_review_report(name: Name, session: Reading) -> ReportAnswer:
    """Tell how the people behind a model do: minutes, agreement, how often right.

    What fewer than twenty verdicts would tell is null.
    """
    return report.report(session, name)


@router.post(
    "/{name}/review/prices",
    responses=problems(
        UnknownModelError, ConflictError, MalformedRequestError, InvalidRequestError
    ),
)
def propose_prices(
    name: Name,
    request: Request,
    asked: Annotated[PriceRequest | None, Body(openapi_examples=PRICES)] = None,
) -> PricesAnswer:
    """Propose what a reject costs, by what people need and how often they are right.

    Nothing is changed: send `costs` to `POST .../reprice` to make them a version.
    """
    state = state_of(request)
    with state.database.read() as session:
        proposal = proposed(session, name, asked or PriceRequest())
    return proposal.model_copy(update={"preview": _preview(state, proposal)})


def _preview(state: AppState, proposal: PricesAnswer) -> PreviewAnswer | None:
    """Return what the prices would change; None where that cannot be told."""
    if not proposal.pays:
        return None
    asked = RepriceRequest.model_validate(
        {"costs": proposal.costs, "rule": {"kind": "chow"}}
    )
    try:
        return preview(state, proposal.model, proposal.version, asked)
    except (ConflictError, CorruptArtifactError):
        return None  # the prices stand, whatever became of the version's scores


@router.post(
    "/{name}/review/dataset",
    status_code=201,
    responses=problems(
        UnknownModelError,
        ConflictError,
        MalformedRequestError,
        InvalidRequestError,
        CorruptDatasetError,
        StorageFullError,
    ),
)
def make_review_dataset(
    name: Name,
    request: Request,
    response: Response,
    asked: Annotated[
        ReviewDatasetRequest | None, Body(openapi_examples=DATASETS)
    ] = None,
) -> ReviewDataset:
    """Make a data set of the verdicts on a model's cases.

    `train` in the answer has the members of `POST /train` that read it: doubtful
    labels, weights, cases that stay together, the past before the future.
    """
    made = learning.make_dataset(
        state_of(request), name, asked or ReviewDatasetRequest()
    )
    locate(request, response, f"/datasets/{made.id}")
    return made
