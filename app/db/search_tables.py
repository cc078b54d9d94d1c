"""The table of searches that are not over: what their finished candidates did."""

from typing import Any

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import Base
from app.db.tables import Json

__all__ = ["SearchFigures"]


class SearchFigures(Base):
    """The figures of one candidate; deleted when its job ends."""

    __tablename__ = "search_figures"

    job_id: Mapped[str] = mapped_column(
        ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True
    )
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Of the candidate, and of what it was fitted by."""
    figures: Mapped[dict[str, Any]] = mapped_column(Json)
