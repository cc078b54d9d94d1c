"""Claims: a wanted opinion is lent to one person for a while.

    UPDATE opinions SET person, token, expires_at WHERE id =
        (SELECT id ... WHERE wanted, free or lapsed, no other opinion on the case and no
         skip of it is this person's ORDER BY ... LIMIT 1 FOR UPDATE SKIP LOCKED)

One statement, so that no two people get the same. A lapsed loan needs no clearing up:
whoever comes next takes it, and the token of before changes nothing any more. A tenth
of the claims, drawn at random, takes any case, so that where people cannot keep up no
kind of case is left out for ever.

Whatever takes the id of a claim raises ``UnknownClaimError`` when there never was such
a claim; whatever takes its token, too, ``ClaimLostError`` when it is no longer theirs.
"""

import secrets
from datetime import datetime, timedelta
from functools import cache
from random import random
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Executable,
    bindparam,
    exists,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session, aliased

from app.db.base import locks_rows, utc_now
from app.db.review_tables import Case, CaseEvent, Opinion, ReviewPolicy
from app.db.states import OpinionState
from app.db.tables import Person, new_id
from app.errors import ClaimLostError, UnknownClaimError
from app.reviews import policies, telling
from app.reviews.schemas import ClaimAnswer, Lease

__all__ = [
    "claim",
    "extend",
    "give_back",
    "held_claim",
    "lend",
    "locked_claim",
    "lost_error",
    "require_held",
]

# Made once: to make a statement takes longer than to run it.
_PERSON = select(Person.id).where(Person.id == bindparam("of_person")).with_for_update()
_OWN = (
    select(Opinion)
    .where(
        Opinion.person_id == bindparam("of_person"),
        Opinion.state == OpinionState.WANTED,
        Opinion.expires_at >= bindparam("now"),
    )
    .order_by(Opinion.leased_at.is_(None), Opinion.leased_at.desc(), Opinion.id)
    .limit(1)
    .with_for_update()
    .execution_options(populate_existing=True)
)
_OWN_OF_MODEL = _OWN.where(Opinion.model_id == bindparam("of_model"))
_FIRST_DUE = (
    select(Opinion.due_at)
    .where(
        Opinion.model_id == ReviewPolicy.model_id, Opinion.state == OpinionState.WANTED
    )
    .order_by(Opinion.due_at)
    .limit(1)
    .scalar_subquery()
)
_DUE = select(ReviewPolicy.model_id).where(_FIRST_DUE.is_not(None)).order_by(_FIRST_DUE)
_CASE = (
    select(Case)
    .join(Opinion, Opinion.case_id == Case.id)
    .where(Opinion.id == bindparam("of_claim"))
    .with_for_update(of=Case)
    .execution_options(populate_existing=True)
)

AT_RANDOM = 0.1
"""Share of the claims that take any case."""

_DRAWN = "drawn"
_ORDERS: dict[str, tuple[Any, ...]] = {
    "saving": (Opinion.rank, Opinion.opened_at),
    "due": (Opinion.due_at,),
    "age": (Opinion.opened_at,),
    _DRAWN: (Opinion.draw,),
}


def claim(session: Session, person_id: str, model: str | None) -> ClaimAnswer | None:
    """Return a person's live claim, or a new one; None when no case waits for them.

    Raises
    ------
    UnknownModelError, UnknownPolicyError
        When the model that was asked for has no reviews.
    """
    only = None if model is None else policies.known_policy(session, model).row.model_id
    if locks_rows(session):  # one person's requests come one after the other
        session.execute(_PERSON, {"of_person": person_id})
    now = utc_now()
    opinion = _own(session, person_id, only, now)
    if opinion is not None and opinion.token is None:  # a lead kept it for them
        seconds = policies.of(session, opinion.model_id).lease_seconds
        for name, value in lend(person_id, seconds, now).items():
            setattr(opinion, name, value)
        session.flush()
    if opinion is None:
        for model_id in _models(session) if only is None else [only]:
            opinion = _take(session, person_id, model_id, now)
            if opinion is not None:
                break
    return None if opinion is None else telling.claim(session, opinion)


def _own(
    session: Session, person_id: str, model_id: int | None, now: datetime
) -> Opinion | None:
    of = {"of_person": person_id, "now": now}
    if model_id is None:
        return session.scalar(_OWN, of)
    return session.scalar(_OWN_OF_MODEL, {**of, "of_model": model_id})


def _models(session: Session) -> list[int]:
    """Return the models of which opinions are wanted, first what is due first."""
    return list(session.scalars(_DUE))


def _take(
    session: Session, person_id: str, model_id: int, now: datetime
) -> Opinion | None:
    known = policies.of(session, model_id)
    bindings = {
        **lend(person_id, known.lease_seconds, now),
        "of_model": model_id,
        "of_person": person_id,
        "now": now,
        "beyond": 0.0,
    }
    tries: list[tuple[str, dict[str, Any]]] = [(known.order, bindings)]
    if random() < AT_RANDOM:  # noqa: S311 - no secret
        tries = [(_DRAWN, {**bindings, "beyond": random()}), (_DRAWN, bindings)]  # noqa: S311
    for order, values in tries:
        taken: Opinion | None = session.scalar(_taking(order), values)
        if taken is not None:
            return taken
    return None


@cache
def _taking(order: str) -> Executable:
    best = (
        select(Opinion.id)
        .where(
            Opinion.model_id == bindparam("of_model"),
            Opinion.state == OpinionState.WANTED,
            or_(Opinion.expires_at.is_(None), Opinion.expires_at < bindparam("now")),
            *_not_seen_by(bindparam("of_person")),
            *([Opinion.draw >= bindparam("beyond")] if order == _DRAWN else []),
        )
        .order_by(*_ORDERS[order])
        .limit(1)
        .with_for_update(skip_locked=True)
        .scalar_subquery()
    )
    lent: dict[str, Any] = {name: bindparam(name) for name in lend("", 0, utc_now())}
    return (
        update(Opinion)
        .where(Opinion.id == best)
        .values(lent)
        .returning(Opinion)
        .execution_options(synchronize_session=False, populate_existing=True)
    )


def _not_seen_by(person_id: BindParameter[str]) -> tuple[ColumnElement[bool], ...]:
    other = aliased(Opinion)
    return (
        ~exists().where(
            other.case_id == Opinion.case_id,
            other.person_id == person_id,
            other.id != Opinion.id,
        ),
        ~exists().where(
            CaseEvent.case_id == Opinion.case_id,
            CaseEvent.kind == "skipped",
            CaseEvent.person_id == person_id,
        ),
    )


def lend(person_id: str, seconds: int, now: datetime) -> dict[str, Any]:
    """Return the columns of an opinion that a person holds from now on."""
    return {
        "person_id": person_id,
        "token": secrets.token_urlsafe(24),
        "leased_at": now,
        "expires_at": now + timedelta(seconds=seconds),
    }


def held_claim(session: Session, person_id: str, claim_id: str, token: str) -> Opinion:
    """Return a claim that is this person's now, with its case's row locked."""
    opinion, _ = locked_claim(session, claim_id)
    require_held(opinion, person_id, token)
    return opinion


def require_held(opinion: Opinion, person_id: str, token: str) -> None:
    """Refuse what comes by a claim that is no longer this person's.

    Raises
    ------
    ClaimLostError
    """
    mine = opinion.person_id == person_id and opinion.token == token
    live = opinion.expires_at is not None and opinion.expires_at >= utc_now()
    if not (mine and live and opinion.state == OpinionState.WANTED):
        raise lost_error(opinion, token)


def locked_claim(session: Session, claim_id: str) -> tuple[Opinion, Case]:
    """Return a claim, whoever's, and its case, whose row is locked."""
    case = None
    if "\x00" not in claim_id:
        case = session.scalar(_CASE, {"of_claim": claim_id})
    if case is None:
        raise UnknownClaimError(UnknownClaimError.example)
    # Looked at after the lock: who held the case may have changed it.
    return session.get_one(Opinion, claim_id, populate_existing=True), case


def lost_error(opinion: Opinion, token: str) -> ClaimLostError:
    """Return why a claim is no longer somebody's."""
    why = (
        "the claim's time was over, a lead gave the case to somebody else, or the token"
        " is another claim's"
    )
    if opinion.state == OpinionState.VOID:
        why = "the case was answered or withdrawn meanwhile"
    elif opinion.state == OpinionState.GIVEN and opinion.token == token:
        why = "the verdict was given"
    msg = f"{why}: nothing was changed; take a claim by POST /claims"
    return ClaimLostError(msg)


def extend(session: Session, person_id: str, claim_id: str, token: str) -> Lease:
    """Hold a claim for longer: its whole time again, from now."""
    opinion = held_claim(session, person_id, claim_id, token)
    seconds = policies.of(session, opinion.model_id).lease_seconds
    opinion.expires_at = utc_now() + timedelta(seconds=seconds)
    session.flush()
    return Lease(id=opinion.id, expires_at=opinion.expires_at)


def give_back(
    session: Session, person_id: str, claim_id: str, token: str, reason: str | None
) -> None:
    """Let others have a claim; with a reason the same person never gets it again."""
    opinion = held_claim(session, person_id, claim_id, token)
    opinion.person_id = opinion.token = opinion.leased_at = opinion.expires_at = None
    if reason is not None:
        session.add(
            CaseEvent(
                id=new_id(),
                case_id=opinion.case_id,
                kind="skipped",
                person_id=person_id,
                note=reason,
            )
        )
    session.flush()
