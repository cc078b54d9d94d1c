"""A lead gives an opinion that is wanted to somebody, or takes it from who has it.

It is kept for them for a day: their next claim is this case, and its time begins when
they take it. Whoever had it has lost it, and is told so. Nobody gets a case on which
they gave an opinion already, or which they skipped.
"""

from datetime import timedelta

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import Case, CaseEvent, Opinion
from app.db.states import OPEN, OpinionState
from app.db.tables import ApiKey, Model, Person, new_id
from app.errors import ConflictError, FieldError
from app.errors.faults import unusable
from app.keys.people import OPERATOR
from app.keys.scopes import allows, stored
from app.reviews import cases
from app.reviews.case_schemas import CaseEntry, Reassignment

__all__ = ["KEPT", "reassign", "reviewers"]

KEPT = timedelta(days=1)
"""For how long nobody else gets it."""


def reviewers(session: Session) -> dict[str, str]:
    """Return the ids of all who may review, by their names in order."""
    valid = (ApiKey.person_id == Person.id) & ApiKey.revoked_at.is_(None)
    rows = session.execute(
        select(Person.id, Person.name, ApiKey.scopes)
        .outerjoin(ApiKey, valid)
        .where(Person.active)
        .order_by(Person.name)
    )
    return {
        name: person
        for person, name, scopes in rows
        if name == OPERATOR or allows(stored(scopes or ""), ("review",))
    }


def reassign(session: Session, case_id: str, by: str, asked: Reassignment) -> CaseEntry:
    """Keep a wanted opinion for a person; null lets whoever comes next have it.

    A free opinion is given before one that somebody holds.

    Raises
    ------
    UnknownCaseError
        When there is no such case.
    InvalidRequestError
        When the person is none of those who may review.
    ConflictError
        When the case is closed, or they had it, have it, or skipped it.
    """
    row, name = cases.locked_case(session, case_id), asked.person
    if row.state not in OPEN:
        msg = f"the case is {row.state}: reopen it to have somebody look"
        raise ConflictError(msg)
    known = reviewers(session)
    if name is not None and name not in known:
        msg = f"is nobody who may review; these may: {', '.join(known)}"
        raise unusable([FieldError("/person", msg)])
    person = None if name is None else known[name]
    opinion = _chosen(session, row, person)
    opinion.person_id, opinion.token, opinion.leased_at = person, None, None
    opinion.expires_at = None if person is None else utc_now() + KEPT
    note = f"to {name or 'whoever comes next'}"
    note = f"{note}: {asked.note}"[:2000] if asked.note else note
    kept = {"kind": "reassigned", "person_id": by, "note": note}
    session.add(CaseEvent(id=new_id(), case_id=row.id, **kept))
    session.flush()
    return cases.entry(row, session.get_one(Model, row.model_id).name)


def _chosen(session: Session, row: Case, person: str | None) -> Opinion:
    """Return the opinion to give: their own that lapsed, a free one, a held one."""
    opinions = session.scalars(
        select(Opinion)
        .where(Opinion.case_id == row.id)
        .where(
            or_(Opinion.state == OpinionState.WANTED, Opinion.person_id.is_not(None))
        )
        .order_by(Opinion.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).all()
    now = utc_now()
    held = {o.id for o in opinions if o.expires_at is not None and o.expires_at >= now}
    wanted = [o for o in opinions if o.state == OpinionState.WANTED]
    if person is None:
        return max(wanted, key=lambda o: o.id in held)
    for theirs in (o for o in opinions if o.person_id == person):
        if theirs.state != OpinionState.WANTED:
            msg = "this person has given an opinion on the case: choose another one"
            raise ConflictError(msg)
        if theirs.id in held:
            msg = "this person has the case already"
            raise ConflictError(msg)
        return theirs
    skipped = select(CaseEvent.id).where(
        CaseEvent.case_id == row.id,
        CaseEvent.kind == "skipped",
        CaseEvent.person_id == person,
    )
    if session.scalar(skipped.limit(1)) is not None:
        msg = "this person skipped the case: choose another one"
        raise ConflictError(msg)
    return min(wanted, key=lambda o: o.id in held)
