"""The declarative base: names of constraints by rule, times in UTC.

With a naming convention every constraint has the same name on every database, so a
migration can alter it; without one SQLite's constraints have none.
"""

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, MetaData, TypeDecorator
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import DeclarativeBase, Session

__all__ = ["Base", "Utc", "insert_into", "utc_now"]

CONVENTION = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


class Utc(TypeDecorator[datetime]):
    """A moment in UTC: aware in Python, also where the database keeps no zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(
        self, value: datetime | None, dialect: Dialect
    ) -> datetime | None:
        """Refuse a moment without a zone; store the rest as UTC."""
        del dialect
        if value is not None and value.tzinfo is None:
            msg = "a moment without a zone is ambiguous: use utc_now()"
            raise ValueError(msg)
        return value and value.astimezone(UTC)

    def process_result_value(
        self, value: datetime | None, dialect: Dialect
    ) -> datetime | None:
        """Give the stored moment its zone back."""
        del dialect
        if value is not None and value.tzinfo is None:
            return value.replace(tzinfo=UTC)
        return value and value.astimezone(UTC)


class Base(DeclarativeBase):
    """The registry of all tables."""

    metadata = MetaData(naming_convention=CONVENTION)


def locks_rows(session: Session) -> bool:
    """Tell whether others write at the same time: in SQLite one session does."""
    return session.get_bind().dialect.name != "sqlite"


def insert_into(session: Session, table: type[Base]) -> sqlite.Insert:
    """Return an INSERT that may say what happens on a conflict.

    Both databases spell it alike; SQLAlchemy has a class for each.
    """
    if locks_rows(session):
        return postgresql.insert(table)  # type: ignore[return-value]  # as above
    return sqlite.insert(table)
