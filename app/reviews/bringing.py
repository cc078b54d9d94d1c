"""Cases go home with people who work elsewhere, and their verdicts come back."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.artifacts.model import Label
from app.db.base import utc_now
from app.db.review_tables import Case, Opinion, Verdict
from app.db.states import OPEN, OpinionState
from app.errors import ConflictError, FieldError, UnknownCaseError
from app.errors.faults import MOST_FAULTS, unusable
from app.keys.people import take_in
from app.reviews import policies, telling, verdicts
from app.reviews.caller_schemas import ImportAnswer
from app.reviews.exchange import Brought, Taken
from app.reviews.opening import opinion
from app.reviews.outcomes import side_of

__all__ = ["bring", "take_home"]


def take_home(session: Session, model: str, limit: int) -> list[Taken]:
    """Return the open cases of a model as a reviewer sees them, oldest first.

    Raises
    ------
    UnknownModelError, UnknownPolicyError
        When the model has no reviews.
    """
    known = policies.known_policy(session, model)
    rows = session.scalars(
        select(Case)
        .where(Case.model_id == known.row.model_id, Case.state.in_(OPEN))
        .order_by(Case.opened_at, Case.id)
        .limit(limit)
    )
    return [
        Taken(telling.claimed_case(row, model, known.policy), row.reference)
        for row in rows
    ]


def bring(
    session: Session, model: str, brought: Sequence[Brought], bringer: str
) -> ImportAnswer:
    """Keep verdicts that were given elsewhere: all of them, or none.

    Parameters
    ----------
    session : Session
    model : str
    brought : sequence of Brought
    bringer : str
        Id of the person whose they are where no name is beside them.

    Raises
    ------
    UnknownModelError, UnknownPolicyError
        When the model has no reviews.
    UnknownCaseError
        When a case or reference is unknown, each named by its row.
    InvalidRequestError
        When a label is none of the case's.
    ConflictError
        When somebody has given another verdict on a case before.
    """
    known = policies.known_policy(session, model)
    nameless = [
        FieldError(f"/{one.row}", "name the case: by case, or by reference", one.row)
        for one in brought
        if one.case is None and one.reference is None
    ]
    if nameless:
        raise unusable(nameless)
    cases = [_case(session, known.row.model_id, one) for one in brought]
    unknown = [
        FieldError(f"/{one.row}", "no case of this model has it", row=one.row)
        for one, case_id in zip(brought, cases, strict=True)
        if case_id is None
    ]
    if unknown:
        msg = (
            f"{len(unknown)} rows name cases or references that are unknown here;"
            " nothing was kept: leave them out, or see GET /cases?model="
        )
        raise UnknownCaseError(msg, unknown[:MOST_FAULTS])
    counted = {"saved": 0, "repeated": 0, "closed": 0}
    # By one order, so that no two who bring verdicts wait for each other.
    pairs = zip(brought, cases, strict=True)
    for one, case_id in sorted(pairs, key=lambda pair: (str(pair[1]), pair[0].row)):
        person = bringer if one.person is None else take_in(session, one.person)
        counted[_keep(session, str(case_id), one, person)] += 1
    return ImportAnswer(**counted)


def _case(session: Session, model_id: int, one: Brought) -> str | None:
    """Return which case is meant; of several of a reference, the newest."""
    of = (Case.id == one.case) if one.case else (Case.reference == one.reference)
    query = select(Case.id).where(Case.model_id == model_id, of)
    return session.scalar(query.order_by(Case.opened_at.desc()).limit(1))


def _keep(session: Session, case_id: str, one: Brought, person_id: str) -> str:
    case = session.scalars(
        select(Case).where(Case.id == case_id).with_for_update()
    ).one()
    positive = verdicts.is_positive(case, _own(case, one.label), f"/{one.row}/label")
    theirs = session.scalar(
        select(Opinion).where(
            Opinion.case_id == case.id, Opinion.person_id == person_id
        )
    )
    if theirs is not None and theirs.verdict_id is not None:
        before = session.get_one(Verdict, theirs.verdict_id)
        if before.positive == positive:
            return "repeated"
        fault = FieldError(f"/{one.row}/label", "another one is known", row=one.row)
        msg = (
            f"row {one.row}: this person has given another verdict on the case already;"
            " nothing was kept: leave the row out, or have the case reopened"
        )
        raise ConflictError(msg, [fault])
    if case.state not in OPEN:
        return "closed"
    theirs = theirs or _free(session, case)
    opinion = verdicts.Said(positive, one.sure, one.note, one.seconds)
    verdicts.keep(session, case, theirs, person_id, opinion)
    return "saved"


def _own(case: Case, label: Label) -> Label:
    """Return the case's own label that a text means; what was sent where none."""
    side = side_of(case.labels, label)
    if side is None:
        return label
    own: Label = case.labels["positive" if side else "negative"]
    return own


def _free(session: Session, case: Case) -> Opinion:
    """Return an opinion that nobody holds: one that is wanted, or one more."""
    free = session.scalar(
        select(Opinion)
        .where(
            Opinion.case_id == case.id,
            Opinion.state == OpinionState.WANTED,
            (Opinion.expires_at.is_(None)) | (Opinion.expires_at < utc_now()),
        )
        .limit(1)
    )
    if free is None:
        free = Opinion(**opinion(verdicts.queued(case)))
        session.add(free)
        session.flush()
    return free
