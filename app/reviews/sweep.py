"""What the worker does for reviews: cases that are due, and data whose time is over."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.base import utc_now
from app.db.review_tables import Case, ReviewPolicy
from app.db.session import Database
from app.db.states import OPEN, CaseState
from app.reviews import policies, verdicts
from app.reviews.erasing import forget
from app.reviews.policy import AUDIT

__all__ = ["answer_due", "forget"]

AT_ONCE = 200


def answer_due(database: Database) -> int:
    """Close cases that are due by the machine's forced answer, where that is wanted.

    Returns
    -------
    closed : int
        How many there were. Whoever holds one loses it: the caller is answered in time.
    """
    closed = 0
    with database.read() as session:
        models = [
            model_id
            for model_id in session.scalars(select(ReviewPolicy.model_id))
            if policies.of(session, model_id).when_due == "would_be"
        ]
    for model_id in models:
        while part := _answer_some(database, model_id):
            closed += part
    return closed


def _answer_some(database: Database, model_id: int) -> int:
    due = (
        select(Case.id)
        .where(
            Case.state.in_(OPEN),
            Case.due_at < utc_now(),
            Case.model_id == model_id,
            Case.would_be.is_not(None),
            Case.reason != AUDIT,  # it was answered long ago
        )
        .limit(AT_ONCE)
    )
    with database.read() as session:
        ids = session.scalars(due).all()
    if not ids:
        return 0
    with database.write() as session:
        return _close(session, ids)


def _close(session: Session, ids: Sequence[str]) -> int:
    rows = session.scalars(
        select(Case)
        .where(Case.id.in_(ids), Case.state.in_(OPEN), Case.due_at < utc_now())
        .order_by(Case.id)
        .with_for_update()
    ).all()
    for row in rows:
        verdicts.close(
            session, row, CaseState.EXPIRED, positive=row.would_be, p=row.probability
        )
    return len(ids)
