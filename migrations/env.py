"""Run migrations on the connection that ``app.db.migrate`` has locked.

Everything happens inside its one transaction, on SQLite and on PostgreSQL alike: a
migration that fails leaves nothing behind.
"""

from typing import Any, Literal

from alembic import context

from app.db import monitor_tables, review_tables, search_tables, tables
from app.db.base import Base, Utc

__all__: list[str] = []


def render(kind: str, thing: Any, autogen_context: object) -> str | Literal[False]:
    """Write our moment type as the plain type that it is in the database."""
    del autogen_context
    if kind == "type" and isinstance(thing, Utc):
        return "sa.DateTime(timezone=True)"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_item=render,
    render_as_batch=True,
    transactional_ddl=True,
    compare_type=True,
    include_schemas=False,
)
declared = {
    tables.Job.__table__,
    review_tables.Case.__table__,
    monitor_tables.Alarm.__table__,
    search_tables.SearchFigures.__table__,
}
if not declared.issubset(Base.metadata.sorted_tables):
    msg = "the tables must be declared before they are compared"
    raise RuntimeError(msg)
context.run_migrations()
