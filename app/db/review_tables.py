"""The tables of reviews: policies, cases, wanted opinions, verdicts, what happened.

A case is what the machine handed to people. Each opinion that is wanted on it is a row
of its own, which one person holds for a while (``token``, ``expires_at``) and then
gives: so several people can work on one case, and never one person twice. Verdicts and
events are only ever added; ``opinions.verdict_id`` says which verdict stands.

Changes that the caller hears of are events with a ``position``. Positions come from
one row of ``counters``, which is held until its transaction ends: whoever sees a
position sees every lower one, also on PostgreSQL, whose sequences do not promise that.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, Utc, utc_now
from app.db.states import CaseState, OpinionState, listed
from app.db.tables import Json, new_id

__all__ = [
    "NEVER",
    "Case",
    "CaseEvent",
    "CaseUse",
    "Counter",
    "Opinion",
    "Outcome",
    "ReviewPolicy",
    "Verdict",
]

NEVER = datetime(9999, 12, 31, tzinfo=UTC)


class ReviewPolicy(Base):
    """How a model's rejects are reviewed.

    One that was deleted stays for its days of retention, and for ``secret``, so that a
    draw is the same for ever.
    """

    __tablename__ = "review_policies"

    model_id: Mapped[int] = mapped_column(ForeignKey("models.id"), primary_key=True)
    policy: Mapped[str] = mapped_column(Text)
    """As JSON; see ``app.reviews.policy``."""
    secret: Mapped[str] = mapped_column(String(64))
    """Key of the draw of audits, in hexadecimal digits."""
    revision: Mapped[int]
    """Counts the changes, from 1."""
    updated_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    deleted_at: Mapped[datetime | None] = mapped_column(Utc)


class Case(Base):
    """What people are asked, with what the machine had to say about it."""

    __tablename__ = "cases"
    __table_args__ = (
        UniqueConstraint("model_id", "open_reference"),
        CheckConstraint(f"state IN ({listed(CaseState)})", name="state"),
        CheckConstraint("inclusion > 0 AND inclusion <= 1", name="inclusion"),
        Index(None, "model_id", "reference"),
        Index(None, "model_id", "state", "opened_at", "id"),
        Index(None, "state", "due_at"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id"))
    version: Mapped[int | None]
    """The version that answered; null where the machine did not."""
    reference: Mapped[str | None] = mapped_column(String(200))
    """What the caller calls it; goes with the features."""
    open_reference: Mapped[str | None] = mapped_column(String(200))
    """The reference while the case is open, so that no two open ones share it."""
    reason: Mapped[str] = mapped_column(String(20))
    """Why it is here: that of the reject, ``audit``, or ``brought``."""
    decision: Mapped[str | None] = mapped_column(String(8))
    """What the machine answered: "+1", "-1", "reject"."""
    inclusion: Mapped[float] = mapped_column(default=1.0)
    """Probability with which such a row became a case: below 1 for an audit."""
    score: Mapped[float | None]
    probability: Mapped[float | None]
    """Of +1, by the machine."""
    would_be: Mapped[bool | None]
    """Whether the machine's forced answer is +1."""
    labels: Mapped[dict[str, Any]] = mapped_column(Json)
    """What the user calls +1 and -1: ``positive``, ``negative``."""
    costs: Mapped[dict[str, float] | None] = mapped_column(Json)
    """The four prices that it was decided at."""
    features: Mapped[dict[str, Any] | None] = mapped_column(Json)
    """Its columns; null by ``keep: reference``, and once their time is over."""
    saving: Mapped[float] = mapped_column(default=0.0)
    """What asking a person saves over the cheaper answer, by the machine."""
    wanted: Mapped[int] = mapped_column(default=1)
    """Opinions that were wanted from the start."""
    state: Mapped[str] = mapped_column(String(16), default=CaseState.WAITING)
    opened_at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    due_at: Mapped[datetime | None] = mapped_column(Utc)
    closed_at: Mapped[datetime | None] = mapped_column(Utc, index=True)
    answer: Mapped[bool | None]
    """Whether the case was answered +1."""
    answer_probability: Mapped[float | None]
    """Of +1, by people and machine together."""
    truth: Mapped[bool | None]
    """Whether it turned out to be +1 (POST /outcomes)."""
    erased_at: Mapped[datetime | None] = mapped_column(Utc)
    """When features, reference and notes went."""


class Opinion(Base):
    """One opinion that is wanted on a case; free, held by a person, or given."""

    __tablename__ = "opinions"
    __table_args__ = (
        UniqueConstraint("case_id", "person_id"),
        CheckConstraint(f"state IN ({listed(OpinionState)})", name="state"),
        Index(None, "model_id", "state", "rank", "opened_at"),
        Index(None, "model_id", "state", "due_at"),
        Index(None, "model_id", "state", "opened_at"),
        Index(None, "model_id", "state", "draw"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    case_id: Mapped[str] = mapped_column(ForeignKey("cases.id", ondelete="CASCADE"))
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id"))
    state: Mapped[str] = mapped_column(String(16), default=OpinionState.WANTED)
    rank: Mapped[float]
    """Minus what the case saves: the least comes first."""
    opened_at: Mapped[datetime] = mapped_column(Utc)
    """As the case has it."""
    due_at: Mapped[datetime] = mapped_column(Utc)
    """When the case is due; ``NEVER`` where it is not."""
    draw: Mapped[float]
    """Uniform in [0, 1): the queue in random order."""
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"), index=True)
    """Who holds it or gave it."""
    token: Mapped[str | None] = mapped_column(String(64))
    leased_at: Mapped[datetime | None] = mapped_column(Utc)
    expires_at: Mapped[datetime | None] = mapped_column(Utc)
    """Until when it is held; null where nobody does."""
    verdict_id: Mapped[str | None] = mapped_column(String(36))
    """The verdict that stands, where it was given."""


class Verdict(Base):
    """What one person said of one case; never changed."""

    __tablename__ = "verdicts"
    __table_args__ = (
        CheckConstraint("sure >= 0.5 AND sure <= 1", name="sure"),
        Index(None, "model_id", "at"),
        Index(None, "person_id", "at"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    opinion_id: Mapped[str] = mapped_column(
        ForeignKey("opinions.id", ondelete="CASCADE"), index=True
    )
    case_id: Mapped[str] = mapped_column(
        ForeignKey("cases.id", ondelete="CASCADE"), index=True
    )
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id"))
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id"))
    positive: Mapped[bool]
    """Whether the label is that of +1."""
    sure: Mapped[float]
    """How sure of it, from .5 to 1."""
    note: Mapped[str | None] = mapped_column(Text)
    seconds: Mapped[float | None]
    """From the claim to the verdict."""
    at: Mapped[datetime] = mapped_column(Utc, default=utc_now)


class CaseEvent(Base):
    """Something that happened to a case; the caller hears of those with a position."""

    __tablename__ = "case_events"
    __table_args__ = (Index(None, "case_id", "kind"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    case_id: Mapped[str] = mapped_column(ForeignKey("cases.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(16))
    """decided, expired, withdrawn, reopened; skipped, undone, reassigned, erased."""
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"))
    note: Mapped[str | None] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    position: Mapped[int | None] = mapped_column(BigInteger, unique=True)
    positive: Mapped[bool | None]
    probability: Mapped[float | None]
    fetched_at: Mapped[datetime | None] = mapped_column(Utc)
    """When the caller first got it."""


class Outcome(Base):
    """What a reference turned out to be."""

    __tablename__ = "outcomes"
    __table_args__ = (UniqueConstraint("model_id", "reference"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id"))
    reference: Mapped[str] = mapped_column(String(200))
    positive: Mapped[bool]
    at: Mapped[datetime] = mapped_column(Utc, default=utc_now, index=True)


class CaseUse(Base):
    """Which cases a data set was made of."""

    __tablename__ = "case_uses"

    dataset_id: Mapped[str] = mapped_column(
        ForeignKey("datasets.id", ondelete="CASCADE"), primary_key=True
    )
    case_id: Mapped[str] = mapped_column(
        ForeignKey("cases.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class Counter(Base):
    """A number that grows; held by whoever raised it until its transaction ends."""

    __tablename__ = "counters"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    last: Mapped[int] = mapped_column(BigInteger, default=0)
