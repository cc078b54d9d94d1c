"""/cases for leads, callers and admins; POST /outcomes."""

import json
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from app.datasets.receiving import charset_of, media_type_of
from app.db.session import Reading, Transaction
from app.errors import (
    ConflictError,
    FieldError,
    InvalidRequestError,
    MalformedRequestError,
    ServiceUnavailableError,
    StorageFullError,
    UnknownCaseError,
    UnknownModelError,
    UnknownPolicyError,
    UnsupportedMediaTypeError,
)
from app.errors.faults import unusable
from app.predict.endpoint import PredictEndpoint
from app.reviews import bringing, cases, erasing, exchange, outcomes, reassigning
from app.reviews.backlog import open_backlog
from app.reviews.caller_schemas import (
    CasesRequest,
    ExportQuery,
    ImportAnswer,
    ImportQuery,
    OpenedAnswer,
    OutcomesAnswer,
    OutcomesQuery,
    OutcomesRequest,
)
from app.reviews.case_schemas import (
    CaseDetail,
    CaseEntry,
    CasesAnswer,
    CasesQuery,
    ErasedAnswer,
    ErasureQuery,
    Reassignment,
    Remark,
)
from app.reviews.openapi import CASES_BODY, CSV, IMPORT_BODY, OUTCOMES_BODY
from app.reviews.routes import Me, person_of
from app.state import state_of
from app.web.bodies import read_json
from app.web.openapi import problems

__all__ = ["router"]

router = APIRouter(tags=["reviews"])

CaseId = Annotated[
    str,
    Path(description="A case's id.", examples=["3c9d1e6a-8f0b-4d57-9a64-1f0b6f3c1b33"]),
]
ONE = problems(UnknownCaseError, MalformedRequestError, InvalidRequestError)
REVIEWED = problems(UnknownModelError, UnknownPolicyError, InvalidRequestError)


@router.post(
    "/cases",
    status_code=201,
    responses={
        **REVIEWED,
        **problems(
            UnknownModelError,
            UnknownPolicyError,
            MalformedRequestError,
            ServiceUnavailableError,
            StorageFullError,
        ),
    },
    openapi_extra={"requestBody": CASES_BODY},
)
async def bring_cases(request: Request) -> OpenedAnswer:
    """Have people look at cases of one's own; the model scores them on the way.

    A reference that has an open case keeps that one.
    """
    predict: PredictEndpoint = request.app.state.predict
    body = await request.body()
    return await open_backlog(
        predict, await run_in_threadpool(read_json, body, CasesRequest)
    )


@router.get("/cases", responses=problems(UnknownModelError, InvalidRequestError))
def list_cases(query: Annotated[CasesQuery, Query()], session: Reading) -> CasesAnswer:
    """List cases, and tell how many are open."""
    return cases.page(session, query)


@router.delete(
    "/cases",
    responses=problems(UnknownModelError, UnknownCaseError, InvalidRequestError),
)
def erase_a_reference(
    query: Annotated[ErasureQuery, Query()], request: Request
) -> ErasedAnswer:
    """Erase all that is kept under a reference: columns, notes, outcomes, the name.

    Open cases are withdrawn. Data sets that were made of these cases are named: they
    are deleted by themselves.
    """
    database = state_of(request).database
    with database.write() as session:
        me = person_of(request, session)
        erased = erasing.by_reference(session, query.reference, query.model, me)
    erasing.scrub(database)
    return erased


@router.get(
    "/cases/export",
    response_class=Response,
    responses={
        200: {
            "description": "The open cases, to take home",
            "content": {
                **CSV,
                "application/json": {
                    "schema": {"type": "array"},
                    "example": [{"data": {"reference": "visit-4711"}}],
                },
            },
        },
        **REVIEWED,
    },
)
def export_cases(query: Annotated[ExportQuery, Query()], session: Reading) -> Response:
    """Take open cases home, as their reviewers see them; they stay open."""
    taken = bringing.take_home(session, query.model, query.limit)
    if query.format == "csv":
        return Response(exchange.as_csv(taken), media_type="text/csv")
    tasks = json.dumps(exchange.as_tasks(taken), ensure_ascii=False)
    return Response(tasks, media_type="application/json")


@router.post(
    "/cases/import",
    responses={
        **problems(
            UnknownModelError,
            UnknownPolicyError,
            UnknownCaseError,
            ConflictError,
            MalformedRequestError,
            UnsupportedMediaTypeError,
            InvalidRequestError,
        )
    },
    openapi_extra={"requestBody": IMPORT_BODY},
)
async def import_verdicts(
    query: Annotated[ImportQuery, Query()], request: Request
) -> ImportAnswer:
    """Bring verdicts back: all are kept, or none.

    As CSV with the columns `case` or `reference`, `label`, and maybe `sure`, `note`,
    `person`, `seconds`; or as JSON, an export of Label Studio.
    """
    is_csv, charset = _is_csv(request), charset_of(request)
    body = await request.body()

    def keep() -> ImportAnswer:
        if is_csv:
            brought = exchange.from_csv(body, charset)
        else:
            brought = exchange.from_tasks(body)
        with state_of(request).database.write() as session:
            me = person_of(request, session)
            return bringing.bring(session, query.model, brought, me)

    return await run_in_threadpool(keep)


@router.get("/cases/{case_id}", responses=ONE)
def get_case(case_id: CaseId, session: Reading) -> CaseDetail:
    """Tell all that is kept of a case: verdicts, who holds it, what happened."""
    return cases.describe(session, case_id)


@router.delete("/cases/{case_id}", responses=ONE)
def erase_a_case(case_id: CaseId, request: Request) -> ErasedAnswer:
    """Erase what a case says of a person: its columns, reference and notes.

    What stays says nothing of them: model, version, score and verdicts. An open case
    is withdrawn.
    """
    database = state_of(request).database
    with database.write() as session:
        erased = erasing.erase(session, case_id, person_of(request, session))
    erasing.scrub(database)
    return erased


@router.post("/cases/{case_id}/withdraw", responses={**ONE, **problems(ConflictError)})
def withdraw_a_case(
    case_id: CaseId, session: Transaction, me: Me, asked: Remark | None = None
) -> CaseEntry:
    """Close a case that was settled elsewhere; one that was answered is 409."""
    return cases.withdraw(session, case_id, me, None if asked is None else asked.note)


@router.post("/cases/{case_id}/reopen", responses={**ONE, **problems(ConflictError)})
def reopen_a_case(
    case_id: CaseId, session: Transaction, me: Me, asked: Remark | None = None
) -> CaseEntry:
    """Have somebody else look at a closed case; what was said of it is set aside."""
    return cases.reopen(session, case_id, me, None if asked is None else asked.note)


@router.post("/cases/{case_id}/reassign", responses={**ONE, **problems(ConflictError)})
def reassign_a_case(
    case_id: CaseId, session: Transaction, me: Me, asked: Reassignment
) -> CaseEntry:
    """Have somebody look at an open case next: it is kept for them for a day.

    Whoever has it at the moment loses it. `person: null` lets anybody have it.
    """
    return reassigning.reassign(session, case_id, me, asked)


@router.post(
    "/outcomes",
    responses=problems(
        UnknownModelError,
        ConflictError,
        MalformedRequestError,
        UnsupportedMediaTypeError,
        InvalidRequestError,
    ),
    openapi_extra={"requestBody": OUTCOMES_BODY},
)
async def tell_outcomes(
    query: Annotated[OutcomesQuery, Query()], request: Request
) -> OutcomesAnswer:
    """Tell what references turned out to be, of accepted rows as well.

    As JSON, or as CSV with the columns `reference` and `label` (`model` in the query).
    One that contradicts a known outcome is refused (409), unless it is to replace it.
    """
    body = await request.body()
    is_csv, charset = _is_csv(request), charset_of(request)

    def keep() -> OutcomesAnswer:
        if is_csv:
            if query.model is None:
                raise unusable([FieldError("/query/model", "is missing")])
            model, replace = query.model, query.replace
            rows = outcomes.read_csv(body, charset)
        else:
            asked = read_json(body, OutcomesRequest)
            model, replace = asked.model, asked.replace or query.replace
            rows = [(one.reference, one.label) for one in asked.outcomes]
        with state_of(request).database.write() as session:
            return outcomes.keep(session, model, rows, replace=replace)

    return await run_in_threadpool(keep)


def _is_csv(request: Request) -> bool:
    media_type = media_type_of(request)
    if media_type not in ("text/csv", "application/json"):
        msg = "send text/csv or application/json"
        raise UnsupportedMediaTypeError(msg)
    return media_type == "text/csv"
