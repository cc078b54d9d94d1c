"""Cases: what a lead sees of the queue, and does with a single case."""

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Form, Request
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.responses import Response

from app.db.session import Reading, Transaction
from app.pages.page import go, page_router, render
from app.pages.visitor import opens
from app.reviews import cases, reassigning
from app.reviews.case_routes import CaseId
from app.reviews.case_schemas import CasesQuery, Reassignment
from app.reviews.policy import AUDIT, BROUGHT, REASONS
from app.reviews.routes import Me
from app.reviews.schemas import Note

__all__ = ["router"]

router = page_router()
LEADS = [Depends(opens("GET", "/cases"))]
VIEWS = {
    "open": {"state": "open", "sort": "due_at"},
    "overdue": {"overdue": "true", "sort": "due_at"},
    "disputed": {"state": "disputed", "sort": "due_at"},
    "decided": {"state": "decided"},
    "all": {},
}
FILTERS = ("model", "reference", "person", "reason")


@router.get("/cases", dependencies=LEADS)
def list_cases(request: Request, session: Reading, view: str = "open") -> Response:
    """List cases: those that are open, or another part of them."""
    view = view if view in VIEWS else "open"
    sent = request.query_params
    filters = {name: sent[name] for name in FILTERS if sent.get(name)}
    after = {"after": sent["after"]} if "after" in sent else {}
    try:
        query = CasesQuery.model_validate({**VIEWS[view], **filters, **after})
    except ValidationError as error:
        faults = [{**f, "loc": ("query", *f["loc"])} for f in error.errors()]
        raise RequestValidationError(faults) from None
    answer = cases.page(session, query)
    return render(
        request,
        "cases.html",
        here="cases",
        found=answer,
        view=view,
        views={name: urlencode({"view": name, **filters}) for name in VIEWS},
        following=urlencode({"view": view, **filters, "after": answer.next or ""}),
        filters=filters,
        reasons=[*REASONS, AUDIT, BROUGHT],
    )


@router.get("/cases/{case_id}", dependencies=LEADS)
def show_case(request: Request, case_id: CaseId, session: Reading) -> Response:
    """Show all that is kept of a case."""
    detail = cases.describe(session, case_id)
    people = [*reassigning.reviewers(session)]
    return render(request, "case.html", here="cases", case=detail, people=people)


@router.post("/cases/{case_id}/{what}", dependencies=LEADS)
def change_case(
    request: Request,
    case_id: CaseId,
    what: Literal["reopen", "withdraw", "reassign"],
    session: Transaction,
    me: Me,
    person: Annotated[str, Form(max_length=200)] = "",
    note: Annotated[Note, Form()] = "",
) -> Response:
    """Close a case, have somebody else look at a closed one, or give it to somebody."""
    if what == "reassign":
        asked = Reassignment(person=person or None, note=note or None)
        reassigning.reassign(session, case_id, me, asked)
    else:
        change = cases.reopen if what == "reopen" else cases.withdraw
        change(session, case_id, me, note or None)
    return go(request, f"/cases/{case_id}")
