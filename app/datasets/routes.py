"""POST /datasets, GET /datasets, GET and DELETE /datasets/{id}."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from app.datasets import service
from app.datasets.deleting import Stores, delete
from app.datasets.errors import (
    CorruptDatasetError,
    DatasetInUseError,
    OutlierGuardsError,
    UnknownDatasetError,
)
from app.datasets.openapi import UPLOAD_BODY
from app.datasets.options import limits_of, read_options
from app.datasets.reader_pool import reader_pool_of, until_gone, with_reader_pool
from app.datasets.reading.opening import convert
from app.datasets.receiving import receive
from app.datasets.schemas import (
    DatasetAnswer,
    DatasetDetail,
    DatasetQuery,
    DatasetsAnswer,
    DatasetsQuery,
    DeletedAnswer,
    DeleteQuery,
    UploadQuery,
)
from app.datasets.store import DatasetStore
from app.db.session import Reading
from app.errors import (
    InvalidRequestError,
    MalformedRequestError,
    ServiceUnavailableError,
    StorageFullError,
    UnsupportedMediaTypeError,
)
from app.state import state_of
from app.web.openapi import located, problems
from app.web.paths import locate

__all__ = ["router", "take_in"]

router = APIRouter(prefix="/datasets", tags=["data sets"], lifespan=with_reader_pool)

DatasetId = Annotated[
    str,
    Path(
        description="The data set's id, as POST /datasets gave it.",
        examples=["5b0c1d9e-7d0a-4c8e-9b55-0a7d3f3f7a11"],
    ),
]


@router.post(
    "",
    status_code=201,
    responses={
        **located(
            201, "Stored; it is described at the address in Location", "The data set's"
        ),
        **problems(
            MalformedRequestError,
            UnsupportedMediaTypeError,
            InvalidRequestError,
            ServiceUnavailableError,
            StorageFullError,
        ),
    },
    openapi_extra={"requestBody": UPLOAD_BODY},
)
async def upload_dataset(
    query: Annotated[UploadQuery, Query()], request: Request, response: Response
) -> DatasetAnswer:
    """Upload a table: CSV, Parquet, an Arrow stream or svmlight.

    Send the file as the body, or as the one part of a form. Types are inferred from
    whole columns: numbers, true and false, or text. What cannot be read is refused with
    its line and column, and nothing of it is kept. Every upload is a data set of its
    own, also when its bytes were sent before (find those by ``sha256``).
    """
    answer = await take_in(request, query)
    locate(request, response, f"/datasets/{answer.id}")
    return answer


async def take_in(request: Request, query: UploadQuery) -> DatasetAnswer:
    """Keep the table that a request brings."""
    state, pool = state_of(request), reader_pool_of(request)
    store = DatasetStore(state.settings.datasets_dir)
    with pool.admitted(), store.staging() as folder:
        uploaded, stored = folder.resolve() / "uploaded", folder.resolve() / "stored"
        received = await receive(request, uploaded)
        form = received.format(query.format)
        charset = received.charset if form == "csv" else None
        options = read_options(query, tab=received.is_tabbed, charset=charset)
        described = await pool.run(
            convert,
            uploaded,
            stored,
            form,
            options,
            limits_of(state.settings),
            unless=until_gone(request),
        )
        return await run_in_threadpool(
            service.keep, store, state.database, stored, received, described, query
        )


@router.get("", responses=problems(InvalidRequestError))
def list_datasets(
    query: Annotated[DatasetsQuery, Query()], session: Reading
) -> DatasetsAnswer:
    """List data sets, newest first."""
    return service.page(session, query)


@router.get(
    "/{dataset_id}",
    responses=problems(UnknownDatasetError, InvalidRequestError, CorruptDatasetError),
)
def get_dataset(
    dataset_id: DatasetId,
    query: Annotated[DatasetQuery, Query()],
    session: Reading,
    request: Request,
) -> DatasetDetail:
    """Describe a data set: columns, types, missing values, first rows, classes."""
    return service.describe(session, _store(request), dataset_id, query)


@router.delete(
    "/{dataset_id}",
    responses=problems(
        UnknownDatasetError,
        DatasetInUseError,
        OutlierGuardsError,
        InvalidRequestError,
        StorageFullError,
    ),
)
def delete_dataset(
    dataset_id: DatasetId, query: Annotated[DeleteQuery, Query()], request: Request
) -> DeletedAnswer:
    """Delete a data set, its rows, and what is kept of single rows elsewhere.

    It is refused while a job that waits or runs needs the data set. Models that were
    trained on it go on answering; they are named, with what they can no longer do. A
    version that is changed so gets a new artifact.
    """
    state = state_of(request)
    return delete(
        state.database,
        Stores(_store(request), state.store),
        dataset_id,
        drop_guards=query.outlier_guards == "drop",
    )


def _store(request: Request) -> DatasetStore:
    return DatasetStore(state_of(request).settings.datasets_dir)
