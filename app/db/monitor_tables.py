"""The tables of the monitor: what was answered, what is watched, and its alarms.

Nothing in them is personal: counts of rows, and sums of costs.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base, Utc, utc_now
from app.db.tables import Json, new_id

__all__ = ["Alarm", "Bucket", "Monitor"]


class Bucket(Base):
    """What one process answered with one version in ten minutes.

    Only that process writes the row, so sums over ``writer`` are right whatever stops,
    starts or goes on.
    """

    __tablename__ = "monitor_buckets"
    __table_args__ = (Index(None, "start"),)

    version_id: Mapped[int] = mapped_column(
        ForeignKey("model_versions.id", ondelete="CASCADE"), primary_key=True
    )
    start: Mapped[datetime] = mapped_column(Utc, primary_key=True)
    writer: Mapped[str] = mapped_column(String(36), primary_key=True)
    n_rows: Mapped[int]
    positive: Mapped[int]
    """Rows decided +1."""
    rejects: Mapped[dict[str, int]] = mapped_column(Json)
    """Rejected rows by reason."""
    priced: Mapped[int]
    """Rows that had an expected cost."""
    cost: Mapped[float]
    """The sum of it."""
    cells: Mapped[dict[str, int]] = mapped_column(Json)
    """Rows by the cell of their score."""


class Monitor(Base):
    """What is watched of a model, and how far the watch is."""

    __tablename__ = "monitors"

    model_id: Mapped[int] = mapped_column(
        ForeignKey("models.id", ondelete="CASCADE"), primary_key=True
    )
    settings: Mapped[str] = mapped_column(Text)
    """As JSON; see ``app.monitor.settings``."""
    revision: Mapped[int] = mapped_column(default=1)
    since: Mapped[datetime] = mapped_column(Utc, default=utc_now)
    """Buckets from here on are looked at."""
    state: Mapped[dict[str, Any]] = mapped_column(Json, default=dict)
    """By version, the detectors after the last whole cycle."""


class Alarm(Base):
    """Something that went over its limit; it stays on until somebody has seen it."""

    __tablename__ = "alarms"
    __table_args__ = (
        CheckConstraint(
            "(acknowledged_at IS NULL) = (note IS NULL)", name="acknowledged_with_note"
        ),
        Index(None, "model_id", "acknowledged_at"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True, default=new_id)
    model_id: Mapped[int] = mapped_column(ForeignKey("models.id", ondelete="CASCADE"))
    version: Mapped[int]
    kind: Mapped[str] = mapped_column(String(20))
    raised_at: Mapped[datetime] = mapped_column(Utc)
    """End of the cycle that raised it."""
    evidence: Mapped[dict[str, Any]] = mapped_column(Json)
    acknowledged_at: Mapped[datetime | None] = mapped_column(Utc)
    person_id: Mapped[str | None] = mapped_column(ForeignKey("people.id"))
    note: Mapped[str | None] = mapped_column(Text)
