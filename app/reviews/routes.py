"""/claims and /verdicts for reviewers, GET /cases/changes for the caller."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query, Request, Response
from fastapi.openapi.models import Example
from sqlalchemy.orm import Session

from app.db.session import Transaction
from app.errors import (
    ClaimLostError,
    ConflictError,
    FieldError,
    InvalidRequestError,
    MalformedRequestError,
    UnknownClaimError,
    UnknownModelError,
    UnknownPolicyError,
)
from app.errors.faults import unusable
from app.keys.people import OPERATOR, take_in
from app.reviews import changes, claims, telling, undoing, verdicts
from app.reviews.caller_schemas import ChangesAnswer, ChangesQuery
from app.reviews.schemas import (
    ClaimAnswer,
    ClaimRequest,
    GiveBack,
    GiveBackQuery,
    Heartbeat,
    Lease,
    VerdictAnswer,
    VerdictRequest,
    VerdictsAnswer,
    VerdictsQuery,
)
from app.state import state_of
from app.web.openapi import problems

__all__ = ["Me", "person_of", "router"]

router = APIRouter(tags=["reviews"])

CLAIM_ID = "7d1a5e0c-2f0b-4d57-9a64-5f0b6f3c1b44"
ClaimId = Annotated[str, Path(description="A claim's id.", examples=[CLAIM_ID])]
VerdictId = Annotated[str, Path(description="A verdict's id.", examples=[CLAIM_ID])]
VERDICTS: dict[str, Example] = {
    "sure": {"value": {"token": "a-token", "label": "yes", "sure": 0.9}}
}
LOST = problems(
    UnknownClaimError, ClaimLostError, MalformedRequestError, InvalidRequestError
)


def person_of(request: Request, session: Session) -> str:
    """Return the id of the person whose key was sent."""
    person: str | None = request.scope.get("person")
    return person or take_in(session, OPERATOR)


def _me(request: Request, session: Transaction) -> str:
    return person_of(request, session)


Me = Annotated[str, Depends(_me, scope="function")]
"""Who asks; whoever has a key that is nobody's is the operator."""


@router.post(
    "/claims",
    status_code=201,
    response_model=ClaimAnswer,
    responses={
        204: {"description": "No case waits for you"},
        **problems(
            UnknownModelError,
            UnknownPolicyError,
            MalformedRequestError,
            InvalidRequestError,
        ),
    },
)
def take_a_claim(
    request: Request, asked: ClaimRequest | None = None
) -> ClaimAnswer | Response:
    """Take the next case for a while, or get one's live claim again.

    Two people never hold the same claim, and nobody gets a case twice.
    """
    model = None if asked is None else asked.model
    # Committed in this thread: others wait no longer than for the statements. A loan
    # that a power cut undoes is lost as one whose time was over.
    with state_of(request).database.write(lasting=False) as session:
        claim = claims.claim(session, person_of(request, session), model)
    return Response(status_code=204) if claim is None else claim


@router.put("/claims/{claim_id}", responses=LOST)
def keep_a_claim(
    claim_id: ClaimId, asked: Heartbeat, session: Transaction, me: Me
) -> Lease:
    """Show that one is still at it: the claim's time begins anew."""
    return claims.extend(session, me, claim_id, asked.token)


@router.delete("/claims/{claim_id}", status_code=204, responses=LOST)
def give_a_claim_back(
    claim_id: ClaimId,
    query: Annotated[GiveBackQuery, Query()],
    session: Transaction,
    me: Me,
    asked: GiveBack | None = None,
) -> None:
    """Let others have a case; with a reason one never gets it again.

    The token comes in the body or in the query.
    """
    if asked is None and query.token is None:
        raise unusable([FieldError("/token", "is missing")])
    sent = asked or GiveBack(token=query.token or "", reason=query.reason)
    claims.give_back(session, me, claim_id, sent.token, sent.reason)


@router.post(
    "/claims/{claim_id}/verdict",
    status_code=201,
    responses={
        200: {
            "model": VerdictAnswer,
            "description": "The same verdict was given before",
        },
        **LOST,
        **problems(ClaimLostError, ConflictError),
    },
)
def give_a_verdict(
    claim_id: ClaimId,
    asked: Annotated[VerdictRequest, Body(openapi_examples=VERDICTS)],
    response: Response,
    request: Request,
) -> VerdictAnswer:
    """Say what a case is. What the machine had said is in the answer.

    The same verdict again is answered 200; where the claim was lost, nothing is kept.
    """
    with state_of(request).database.write() as session:  # in this thread, as above
        me = person_of(request, session)
        answer, fresh = verdicts.give(session, me, claim_id, asked)
    if not fresh:
        response.status_code = 200
    return answer


@router.get("/verdicts", responses=problems(InvalidRequestError))
def list_own_verdicts(
    query: Annotated[VerdictsQuery, Query()], session: Transaction, me: Me
) -> VerdictsAnswer:
    """List one's own verdicts, newest first."""
    return telling.own_verdicts(session, me, query.limit)


@router.post(
    "/verdicts/{verdict_id}/undo",
    responses=problems(UnknownClaimError, ConflictError, InvalidRequestError),
)
def take_a_verdict_back(
    verdict_id: VerdictId, session: Transaction, me: Me
) -> ClaimAnswer:
    """Take one's own verdict back: the case is one's claim again.

    Until the caller has fetched its answer, and for as long as the policy says. The
    verdict stays in the case's history.
    """
    return undoing.undo(session, me, verdict_id)


@router.get(
    "/cases/changes", responses=problems(UnknownModelError, InvalidRequestError)
)
def list_changes(
    query: Annotated[ChangesQuery, Query()], request: Request
) -> ChangesAnswer:
    """Tell what became of cases: in order, each change at least once."""
    return changes.page(state_of(request).database, query)
