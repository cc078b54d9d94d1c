"""Personal data leave: on demand, and when their time is over.

What goes are the columns, the reference and every note; what stays says nothing of a
person by itself: model, version, score, verdicts, who gave them and how long it took.
An UPDATE alone leaves the old values in the database's files: SQLite overwrites what is
deleted (``secure_delete``) and its log is emptied here; PostgreSQL is asked to vacuum.
"""

import logging
import time
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import (
    Case,
    CaseEvent,
    CaseUse,
    Outcome,
    ReviewPolicy,
    Verdict,
)
from app.db.session import Database
from app.db.states import OPEN, CaseState
from app.db.tables import Dataset, new_id
from app.errors import UnknownCaseError
from app.reviews import cases, policies, verdicts
from app.reviews.case_schemas import DatasetMade, ErasedAnswer

__all__ = ["by_reference", "erase", "forget", "scrub"]

log = logging.getLogger(__name__)

AT_ONCE = 500
_TRIES = 40
_PAUSE_S = 0.05


def erase(session: Session, case_id: str, person_id: str) -> ErasedAnswer:
    """Erase what a case says of a person; an open one is withdrawn.

    Raises
    ------
    UnknownCaseError
        When there is none.
    """
    return _erase(session, [cases.locked_case(session, case_id)], person_id)


def by_reference(
    session: Session, reference: str, model: str | None, person_id: str
) -> ErasedAnswer:
    """Erase all that is kept under a reference, of one model or of all.

    Raises
    ------
    UnknownModelError
        When there is no such model.
    UnknownCaseError
        When nothing is kept under it.
    """
    query = select(Case).where(Case.reference == reference)
    known = select(Outcome.id).where(Outcome.reference == reference)
    if model is not None:
        model_id = policies.model_id_of(session, model)
        query = query.where(Case.model_id == model_id)
        known = known.where(Outcome.model_id == model_id)
    rows = session.scalars(query.order_by(Case.id).with_for_update()).all()
    outcomes = session.scalars(known).all()
    if not rows and not outcomes:
        msg = (
            "nothing is kept under this reference; what was answered a moment ago may"
            " come to be kept within two seconds"
        )
        raise UnknownCaseError(msg)
    session.execute(delete(Outcome).where(Outcome.id.in_(outcomes)))
    erased = _erase(session, rows, person_id)
    return erased.model_copy(update={"outcomes": len(outcomes)})


def _erase(session: Session, rows: Sequence[Case], person_id: str) -> ErasedAnswer:
    ids = [row.id for row in rows]
    for row in rows:
        if row.state in OPEN:
            verdicts.close(session, row, CaseState.WITHDRAWN, person_id=person_id)
        session.add(
            CaseEvent(id=new_id(), case_id=row.id, kind="erased", person_id=person_id)
        )
    named = {(row.model_id, row.reference) for row in rows if row.reference}
    _blank(session, ids)
    return ErasedAnswer(
        cases=ids,
        outcomes=sum(_forget_outcome(session, *name) for name in named),
        datasets=_made_of(session, ids),
    )


def _blank(session: Session, ids: Sequence[str]) -> None:
    """Take columns, reference and notes off cases."""
    session.flush()
    for start in range(0, len(ids), AT_ONCE):
        part = ids[start : start + AT_ONCE]
        session.execute(
            update(Case)
            .where(Case.id.in_(part))
            .values(features=None, reference=None, erased_at=utc_now())
        )
        for table in (Verdict, CaseEvent):
            of = table.case_id.in_(part)
            session.execute(
                update(table).where(of, table.note.is_not(None)).values(note=None)
            )


def _forget_outcome(session: Session, model_id: int, reference: str) -> int:
    """Delete the outcome of a reference that no case has any more."""
    of = (Case.model_id == model_id, Case.reference == reference)
    if session.scalar(select(Case.id).where(*of).limit(1)) is not None:
        return 0
    gone = delete(Outcome).where(
        Outcome.model_id == model_id, Outcome.reference == reference
    )
    return len(session.scalars(gone.returning(Outcome.id)).all())


def _made_of(session: Session, ids: Sequence[str]) -> list[DatasetMade]:
    query = (
        select(Dataset.id, Dataset.name)
        .where(
            Dataset.id.in_(select(CaseUse.dataset_id).where(CaseUse.case_id.in_(ids)))
        )
        .order_by(Dataset.created_at, Dataset.id)
    )
    return [DatasetMade(id=i, name=name) for i, name in session.execute(query)]


def forget(database: Database) -> int:
    """Erase what is older than each policy keeps it; return how many cases changed."""
    changed = 0
    with database.read() as session:
        models = session.scalars(select(ReviewPolicy.model_id)).all()
    for model_id in models:
        while part := _forget_some(database, model_id):
            changed += part
    if changed:
        scrub(database)
    return changed


def _forget_some(database: Database, model_id: int) -> int:
    now = utc_now()
    with database.read() as session:
        days = policies.of(session, model_id).retain_days
        old = select(Case.id).where(Case.model_id == model_id)
        blank = old.where(
            Case.closed_at < now - timedelta(days=days.features),
            Case.erased_at.is_(None),
        )
        gone = old.where(Case.closed_at < now - timedelta(days=days.verdicts))
        blanked = session.scalars(blank.limit(AT_ONCE)).all()
        deleted = session.scalars(gone.limit(AT_ONCE)).all()
        late = Outcome.at < now - timedelta(days=days.features)
        outcomes = session.scalar(
            select(func.count(Outcome.id)).where(Outcome.model_id == model_id, late)
        )
    if blanked or deleted or outcomes:
        with database.write() as session:
            _blank(session, blanked)
            session.execute(delete(Case).where(Case.id.in_(deleted)))
            session.execute(delete(Outcome).where(Outcome.model_id == model_id, late))
    return len(blanked) + len(deleted) + (outcomes or 0)


def scrub(database: Database) -> None:
    """Take what was erased out of the database's files, as far as it can be told to."""
    if database.engine.dialect.name == "sqlite":
        _empty_log(database)
        return
    tables = ", ".join(t.__tablename__ for t in (Case, Verdict, CaseEvent, Outcome))
    alone = database.engine.execution_options(isolation_level="AUTOCOMMIT")
    try:
        with alone.connect() as connection:
            connection.execute(text(f"VACUUM {tables}"))
    except DBAPIError as error:
        log.warning("the database was not vacuumed: %s", error.orig)


def _empty_log(database: Database) -> None:
    """Move SQLite's log into the file and cut it off; wait for readers a while."""
    raw = database.engine.raw_connection()
    try:
        for _ in range(_TRIES):
            cursor = raw.cursor()
            busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            cursor.close()
            if not busy:
                return
            time.sleep(_PAUSE_S)
    finally:
        raw.close()
    log.warning("readers are in the way: erased values leave the log a little later")
