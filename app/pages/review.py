"""Review: one case at a time, for whoever gives verdicts.

To look at the screen is to claim a case; the claim that one holds already comes first,
so a second tab or a reload shows the same case. What the machine had said is told of
the case before, never of the one that is shown.
"""

from contextlib import suppress
from datetime import timedelta
from typing import Annotated, Literal

from fastapi import Depends, Form, Request
from pydantic import BaseModel, ConfigDict, Field, Json
from starlette.responses import Response

from app.artifacts.model import Label
from app.db.base import utc_now
from app.db.session import Transaction
from app.errors import ClaimLostError, ConflictError, UnknownClaimError
from app.pages.page import go, page_router, render, say
from app.pages.visitor import opens
from app.reviews import cases, claims, telling, undoing, verdicts
from app.reviews.routes import Me, person_of
from app.reviews.schemas import Note, Token, VerdictRequest
from app.state import state_of
from app.strict import Whole

__all__ = ["router"]

router = page_router()
REVIEWS = [Depends(opens("POST", "/claims"))]

Told = Literal["skipped", "undone", "late"]
REASONS = ("unclear", "values", "known", "other")
"""Why a case may be skipped, in the words of the catalogue."""
_LATELY = timedelta(minutes=15)
"""How long the last verdict is told above the next case."""


class Held(BaseModel):
    """The claim that a form is about."""

    model_config = ConfigDict(extra="ignore")

    claim: Annotated[str, Field(max_length=64)]
    token: Token
    note: Note = ""


class Given(Held):
    """A verdict; the label is JSON, so that 1, "1" and true stay what they are."""

    label: Json[Label]
    sure: Annotated[Whole, Field(ge=50, le=100)] = 100


class Skipped(Held):
    """A case that is left to others."""

    why: Literal["unclear", "values", "known", "other"] = "unclear"


class Undone(BaseModel):
    """A verdict that is taken back, and the claim that is let go for it."""

    verdict: Annotated[str, Field(max_length=64)]
    claim: Annotated[str, Field(max_length=64)] = ""
    token: Annotated[str, Field(max_length=64)] = ""


@router.get("/review", dependencies=REVIEWS)
def show_a_case(request: Request, told: Told | None = None) -> Response:
    """Show the next case, and what became of the one before."""
    database = state_of(request).database
    with database.write(lasting=False) as session:
        me = person_of(request, session)
        claim = claims.claim(session, me, None)
    now = utc_now()
    with database.read() as session:  # others write while this is put together
        last = next(iter(telling.own_verdicts(session, me, 1).verdicts), None)
        odd = (
            set() if claim is None else telling.unusual_columns(session, claim.case.id)
        )
        counts = cases.counts(session, None)
    if last is not None and not (last.stands and last.at > now - _LATELY):
        last = None
    return render(
        request,
        "review.html",
        here="review",
        claim=claim,
        odd=odd,
        beat=0 if claim is None else (claim.expires_at - now).total_seconds() / 3,
        counts=counts,
        last=last,
        undo=last is not None and last.undo_until > now,
        told=told,
        now=now,
        reasons=REASONS,
    )


@router.post("/review/verdict", dependencies=REVIEWS)
def take_verdict(request: Request, form: Annotated[Given, Form()]) -> Response:
    """Keep a verdict, and go on to the next case."""
    asked = VerdictRequest(
        token=form.token,
        label=form.label,
        sure=form.sure / 100,
        note=form.note or None,
    )
    try:
        with state_of(request).database.write() as session:
            verdicts.give(session, person_of(request, session), form.claim, asked)
    except ClaimLostError:
        return _lost(request)
    return go(request, "/review")


@router.post("/review/skip", dependencies=REVIEWS)
def skip(
    request: Request, skipped: Annotated[Skipped, Form()], session: Transaction, me: Me
) -> Response:
    """Leave a case to others, for good."""
    why = say(f"skip.{skipped.why}")
    reason = f"{why}: {skipped.note}"[:2000] if skipped.note else why
    try:
        claims.give_back(session, me, skipped.claim, skipped.token, reason)
    except ClaimLostError:
        return _lost(request)
    return go(request, "/review?told=skipped")


@router.post("/review/undo", dependencies=REVIEWS)
def undo(
    request: Request, undone: Annotated[Undone, Form()], session: Transaction, me: Me
) -> Response:
    """Take the last verdict back: its case is shown again, the present one waits."""
    try:
        undoing.undo(session, me, undone.verdict)
    except ConflictError:
        return go(request, "/review?told=late")
    with suppress(ClaimLostError, UnknownClaimError):
        claims.give_back(session, me, undone.claim, undone.token, None)
    return go(request, "/review?told=undone")


@router.post("/review/keep", dependencies=REVIEWS)
def keep(held: Annotated[Held, Form()], session: Transaction, me: Me) -> Response:
    """Hold a claim for longer, since somebody is at it."""
    claims.extend(session, me, held.claim, held.token)
    return Response(status_code=204)


def _lost(request: Request) -> Response:
    """Say that a case went to others before its verdict came."""
    return render(request, "review_lost.html", status=409, here="review")
