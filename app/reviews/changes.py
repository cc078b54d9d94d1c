"""The changes that the caller hears of: in order, each at least once.

A position is taken from a counter whose row stays locked until the change is
committed; so positions become visible in their order, without gaps that are filled
later, and whoever asks for what comes after the last one that they saw misses nothing.
"""

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import Case, CaseEvent, Counter
from app.db.session import Database
from app.db.tables import Model, new_id
from app.reviews import policies, telling
from app.reviews.caller_schemas import Change, ChangesAnswer, ChangesQuery

__all__ = ["add", "page"]

CHANGES = "changes"
_NEXT = (
    update(Counter)
    .where(Counter.name == CHANGES)
    .values(last=Counter.last + 1)
    .returning(Counter.last)
    .execution_options(synchronize_session=False)
)


def add(
    session: Session,
    case: Case,
    kind: str,
    *,
    person_id: str | None = None,
    note: str | None = None,
) -> None:
    """Note a change of a case; everything else is locked before."""
    session.flush()
    position = session.scalars(_NEXT).one()
    session.add(
        CaseEvent(
            id=new_id(),
            case_id=case.id,
            kind=kind,
            person_id=person_id,
            note=note,
            position=position,
            positive=case.answer,
            probability=case.answer_probability,
        )
    )
    session.flush()


def page(database: Database, query: ChangesQuery) -> ChangesAnswer:
    """Return changes, oldest first, and note that they were fetched.

    Raises
    ------
    UnknownModelError
        When there is no model of the name that was asked for.
    """
    wanted = (
        select(CaseEvent, Case, Model.name)
        .join(Case, Case.id == CaseEvent.case_id)
        .join(Model, Model.id == Case.model_id)
        .where(CaseEvent.position > query.after)
        .order_by(CaseEvent.position)
        .limit(query.limit)
    )
    with database.read() as session:
        if query.model is not None:
            model_id = policies.model_id_of(session, query.model)
            wanted = wanted.where(Case.model_id == model_id)
        rows = session.execute(wanted).all()
    fresh = [event.id for event, _, _ in rows if event.fetched_at is None]
    if fresh:
        # Committed before the answer goes out: what was fetched is not taken back.
        with database.write() as session:
            session.execute(
                update(CaseEvent)
                .where(CaseEvent.id.in_(fresh), CaseEvent.fetched_at.is_(None))
                .values(fetched_at=utc_now())
                .execution_options(synchronize_session=False)
            )
    changes = [_change(event, case, model) for event, case, model in rows]
    return ChangesAnswer(
        changes=changes, next=changes[-1].position if changes else query.after
    )


def _change(event: CaseEvent, case: Case, model: str) -> Change:
    decision = None if event.positive is None else "+1" if event.positive else "-1"
    return Change(
        position=event.position or 0,
        case=case.id,
        model=model,
        reference=case.reference,
        state=event.kind,
        decision=decision,
        label=telling.label_of(case, event.positive),
        probability=event.probability,
        at=event.at,
    )
