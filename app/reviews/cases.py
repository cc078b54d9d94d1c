"""What a lead does with cases: look, withdraw what was settled elsewhere, reopen.

Whatever takes the id of a case raises ``UnknownCaseError`` when there is no such case.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Select, case, false, func, literal, select, tuple_, update
from sqlalchemy.orm import Session

from app.db.base import Utc, utc_now
from app.db.review_tables import NEVER, Case, CaseEvent, Opinion, Verdict
from app.db.states import OPEN, CaseState, OpinionState
from app.db.tables import Model, Person
from app.errors import ConflictError, UnknownCaseError
from app.reviews import policies, telling, verdicts
from app.reviews.case_schemas import (
    CaseCounts,
    CaseDetail,
    CaseEntry,
    CasesAnswer,
    CasesQuery,
    EventEntry,
    OpinionEntry,
    VerdictEntry,
)

__all__ = [
    "counts",
    "describe",
    "locked_case",
    "page",
    "reopen",
    "withdraw",
    "withdraw_all",
]

_DUE = func.coalesce(Case.due_at, literal(NEVER, Utc))
_SORTS: dict[str, tuple[Any, bool]] = {
    "opened_at": (Case.opened_at, False),
    "-opened_at": (Case.opened_at, True),
    "due_at": (_DUE, False),
    "-saving": (Case.saving, True),
}


def locked_case(session: Session, case_id: str) -> Case:
    """Return a case with its row locked."""
    row = None
    if "\x00" not in case_id:
        row = session.scalar(
            select(Case)
            .where(Case.id == case_id)
            .with_for_update()
            .execution_options(populate_existing=True)
        )
    if row is None:
        raise UnknownCaseError(UnknownCaseError.example)
    return row


def page(session: Session, query: CasesQuery) -> CasesAnswer:
    """Return one page of cases, and how many are open.

    Raises
    ------
    UnknownModelError
        When there is no model of the name that was asked for.
    """
    model_id = None
    if query.model is not None:
        model_id = policies.model_id_of(session, query.model)
    rows = session.execute(_listed(session, query, model_id)).all()
    shown = rows[: query.limit]
    return CasesAnswer(
        cases=[entry(case, model) for case, model in shown],
        next=shown[-1][0].id if len(rows) > len(shown) else None,
        counts=counts(session, model_id),
    )


def _listed(
    session: Session, query: CasesQuery, model_id: int | None
) -> Select[Case, str]:
    key, down = _SORTS[query.sort]
    keys = (key, Case.id)
    listed = (
        select(Case, Model.name)
        .join(Model, Model.id == Case.model_id)
        .order_by(*(each.desc() if down else each for each in keys))
        .limit(query.limit + 1)
    )
    if model_id is not None:
        listed = listed.where(Case.model_id == model_id)
    if query.state is not None:
        states = OPEN if query.state == "open" else {CaseState(query.state)}
        listed = listed.where(Case.state.in_(states))
    if query.overdue:
        listed = listed.where(Case.state.in_(OPEN), Case.due_at < utc_now())
    for column, value in (
        (Case.reason, query.reason),
        (Case.reference, query.reference),
    ):
        if value is not None:
            listed = listed.where(column == value)
    if query.person is not None:
        theirs = (
            select(Opinion.case_id)
            .join(Person, Person.id == Opinion.person_id)
            .where(Person.name == query.person)
        )
        listed = listed.where(Case.id.in_(theirs))
    if query.after is not None:
        last = session.execute(select(*keys).where(Case.id == query.after)).first()
        if last is None:
            return listed.where(false())
        there = tuple_(*(literal(at, k.type) for at, k in zip(last, keys, strict=True)))
        here = tuple_(*keys)
        listed = listed.where(here < there if down else here > there)
    return listed


def entry(row: Case, model: str) -> CaseEntry:
    """Return a case as a line of a list."""
    return CaseEntry(**_facts(row, model))


def _facts(row: Case, model: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "model": model,
        "version": row.version,
        "reference": row.reference,
        "reason": row.reason,
        "state": row.state,
        "decision": row.decision,
        "probability": row.probability,
        "would_be": telling.label_of(row, row.would_be),
        "saving": row.saving,
        "inclusion": row.inclusion,
        "opened_at": row.opened_at,
        "due_at": row.due_at,
        "closed_at": row.closed_at,
        "label": telling.label_of(row, row.answer),
        "answer_probability": row.answer_probability,
        "truth": telling.label_of(row, row.truth),
        "erased_at": row.erased_at,
    }


def counts(session: Session, model_id: int | None) -> CaseCounts:
    """Return how many cases are open, of one model or of all."""
    overdue = case((Case.due_at < utc_now(), 1), else_=0)
    counting = (
        select(Case.state, func.count(), func.sum(overdue))
        .where(Case.state.in_(OPEN))
        .group_by(Case.state)
    )
    if model_id is not None:
        counting = counting.where(Case.model_id == model_id)
    rows = session.execute(counting).all()
    by_state = {state: count for state, count, _ in rows}
    return CaseCounts(
        **{str(state): by_state.get(state, 0) for state in OPEN},
        overdue=sum(late for _, _, late in rows),
    )


def describe(session: Session, case_id: str) -> CaseDetail:
    """Return a case with its verdicts, whoever holds it, and what happened."""
    row = session.get(Case, case_id) if "\x00" not in case_id else None
    if row is None:
        raise UnknownCaseError(UnknownCaseError.example)
    model = session.get_one(Model, row.model_id).name
    return CaseDetail(
        **_facts(row, model),
        score=row.score,
        costs=row.costs,
        features=row.features,
        opinions=_opinions(session, row),
        verdicts=_verdicts(session, row),
        events=[
            EventEntry(kind=event.kind, person=person, note=event.note, at=event.at)
            for event, person in session.execute(
                select(CaseEvent, Person.name)
                .outerjoin(Person, Person.id == CaseEvent.person_id)
                .where(CaseEvent.case_id == row.id)
                .order_by(CaseEvent.at, CaseEvent.position)
            )
        ],
    )


def _opinions(session: Session, row: Case) -> list[OpinionEntry]:
    rows = session.execute(
        select(Opinion, Person.name)
        .outerjoin(Person, Person.id == Opinion.person_id)
        .where(Opinion.case_id == row.id, Opinion.state != OpinionState.VOID)
        .order_by(Opinion.leased_at, Opinion.id)
    )
    return [
        OpinionEntry(state=opinion.state, person=person, expires_at=opinion.expires_at)
        for opinion, person in rows
    ]


def _verdicts(session: Session, row: Case) -> list[VerdictEntry]:
    rows = session.execute(
        select(Verdict, Person.name, Opinion.verdict_id, Opinion.state)
        .join(Person, Person.id == Verdict.person_id)
        .join(Opinion, Opinion.id == Verdict.opinion_id)
        .where(Verdict.case_id == row.id)
        .order_by(Verdict.at, Verdict.id)
    )
    return [
        VerdictEntry(
            id=verdict.id,
            person=person,
            label=telling.label_of(row, verdict.positive),
            sure=verdict.sure,
            note=verdict.note,
            seconds=verdict.seconds,
            at=verdict.at,
            stands=(present, state) == (verdict.id, OpinionState.GIVEN),
        )
        for verdict, person, present, state in rows
    ]


def withdraw(
    session: Session, case_id: str, person_id: str, note: str | None
) -> CaseEntry:
    """Close a case that was settled elsewhere; again, it stays as it is.

    Raises
    ------
    ConflictError
        When it was answered: the caller may have acted on that.
    """
    row = locked_case(session, case_id)
    if row.state in (CaseState.DECIDED, CaseState.EXPIRED):
        msg = (
            f"the case is {row.state} and keeps its answer; where that was wrong, POST"
            f" /outcomes with the truth, or POST /cases/{row.id}/reopen first"
        )
        raise ConflictError(msg)
    if row.state != CaseState.WITHDRAWN:
        verdicts.close(
            session, row, CaseState.WITHDRAWN, person_id=person_id, note=note
        )
    return entry(row, session.get_one(Model, row.model_id).name)


def withdraw_all(session: Session, model_id: int) -> int:
    """Withdraw every open case of a model; return how many there were."""
    rows: Sequence[Case] = session.scalars(
        select(Case)
        .where(Case.model_id == model_id, Case.state.in_(OPEN))
        .order_by(Case.id)
        .with_for_update()
    ).all()
    for row in rows:
        verdicts.close(session, row, CaseState.WITHDRAWN)
    return len(rows)


def reopen(
    session: Session, case_id: str, person_id: str, note: str | None
) -> CaseEntry:
    """Have somebody else look at a closed case; what was said is set aside.

    Raises
    ------
    ConflictError
        When it is open, or its columns are gone, or its reference has another one.
    """
    row = locked_case(session, case_id)
    if row.state in OPEN:
        msg = f"the case is {row.state}: it is open already"
        raise ConflictError(msg)
    if row.erased_at is not None:
        msg = "the case's columns and reference were erased: nobody could look at it"
        raise ConflictError(msg)
    policy = policies.of(session, row.model_id)
    session.execute(
        update(Opinion)
        .where(Opinion.case_id == row.id, Opinion.state == OpinionState.GIVEN)
        .values(state=OpinionState.SET_ASIDE)
    )
    row.wanted, row.due_at = 1, None
    if policy.due_minutes is not None:
        row.due_at = utc_now() + timedelta(minutes=policy.due_minutes)
    verdicts.reopen(session, row, CaseState.REOPENED, person_id=person_id, note=note)
    verdicts.settle(session, row, policy)
    return entry(row, session.get_one(Model, row.model_id).name)
