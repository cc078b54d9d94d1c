"""Verdicts are taken back: by their giver, for a while, until the answer was fetched.

Taking back adds an event and deletes nothing: the verdict does not stand any more.
"""

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import Case, CaseEvent, Opinion, Verdict
from app.db.states import OPEN, CaseState, OpinionState
from app.db.tables import new_id
from app.errors import ConflictError, UnknownClaimError
from app.reviews import claims, policies, telling, verdicts
from app.reviews.schemas import ClaimAnswer

__all__ = ["undo"]


def undo(session: Session, person_id: str, verdict_id: str) -> ClaimAnswer:
    """Take one's own verdict back; the case is one's claim again.

    Raises
    ------
    UnknownClaimError
        When no verdict of theirs has this id.
    ConflictError
        When it does not stand any more, or it is too late.
    """
    verdict = session.get(Verdict, verdict_id) if "\x00" not in verdict_id else None
    if verdict is None or verdict.person_id != person_id:
        msg = "no verdict of yours has this id; see GET /verdicts"
        raise UnknownClaimError(msg)
    locked = select(Case).where(Case.id == verdict.case_id).with_for_update()
    case = session.scalars(locked).one()
    held = session.get_one(Opinion, verdict.opinion_id, populate_existing=True)
    policy, now = policies.of(session, case.model_id), utc_now()
    if (held.state, held.verdict_id) != (OpinionState.GIVEN, verdict.id):
        msg = "the verdict does not stand any more"
        raise ConflictError(msg)
    if now > verdict.at + timedelta(seconds=policy.undo_seconds):
        raise _too_late(case, f"it was given over {policy.undo_seconds} seconds ago")
    if case.state not in OPEN:
        _require_unfetched(session, case)
        verdicts.reopen(session, case, CaseState.WAITING, person_id=person_id)
    held.state, held.verdict_id = OpinionState.WANTED, None
    for name, value in claims.lend(person_id, policy.lease_seconds, now).items():
        setattr(held, name, value)
    session.add(
        CaseEvent(id=new_id(), case_id=case.id, kind="undone", person_id=person_id)
    )
    session.flush()
    verdicts.settle(session, case, policy)
    return telling.claim(session, held)


def _require_unfetched(session: Session, case: Case) -> None:
    """Refuse to take back what the caller has acted on."""
    if case.state != CaseState.DECIDED:
        raise _too_late(case, f"the case is {case.state}")
    latest = session.scalars(
        select(CaseEvent)
        .where(CaseEvent.case_id == case.id, CaseEvent.position.is_not(None))
        .order_by(CaseEvent.position.desc())
        .limit(1)
        .with_for_update()
    ).one()
    if latest.fetched_at is not None:
        raise _too_late(case, "the caller has fetched the answer")


def _too_late(case: Case, why: str) -> ConflictError:
    msg = f"too late to take it back: {why}; a lead can POST /cases/{case.id}/reopen"
    return ConflictError(msg)
