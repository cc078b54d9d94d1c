"""Errors of accepted rows that were audited blindly, by what had been decided."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.db.review_tables import Case
from app.db.tables import ModelVersion
from app.reviews.policy import AUDIT

__all__ = ["Audited", "audited_between"]


@dataclass(frozen=True, slots=True)
class Audited:
    """Audited rows and errors among them, by decision."""

    rows: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)


def audited_between(
    session: Session,
    version: ModelVersion,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Audited:
    """Return the audits of a version that were closed in a span of time.

    Late truth counts where it is known, else what people answered.
    """
    truth = func.coalesce(Case.truth, Case.answer)
    query = (
        select(Case.decision, truth, func.count())
        .where(
            Case.model_id == version.model_id,
            Case.version == version.version,
            Case.reason == AUDIT,
            truth.is_not(None),
        )
        .group_by(Case.decision, truth)
    )
    if start is not None:
        query = query.where(Case.closed_at >= start)
    if end is not None:
        query = query.where(Case.closed_at < end)
    audited = Audited()
    for decision, positive, count in session.execute(query):
        called = str(decision)
        audited.rows[called] += count
        if bool(positive) != (called == "+1"):
            audited.errors[called] += count
    return audited
