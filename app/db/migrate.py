"""Bring a database to the tables of this version: one process at a time.

The whole upgrade is one transaction that begins by taking a lock (SQLite's write lock,
an advisory lock on PostgreSQL). Of several processes that start at once, one migrates
and the others find that nothing is left to do. A database of a later version is left as
it is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import app
from app.db.session import Database

__all__ = [
    "LaterVersionError",
    "at_head",
    "check",
    "downgrade",
    "fault",
    "head",
    "revise",
    "upgrade",
]

SCRIPTS = Path(app.__file__).parents[1] / "migrations"  # installed side by side
ADVISORY_LOCK = 0x64656D7572  # "demur"


class LaterVersionError(RuntimeError):
    """The database has tables that this version does not know; says the way out."""


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    config.set_main_option(
        "file_template", "%%(year)d-%%(month).2d-%%(day).2d_%%(slug)s"
    )
    config.attributes["connection"] = connection
    return config


@contextmanager
def _locked(database: Database) -> Iterator[Config]:
    with database.writing_engine().begin() as connection:
        if connection.dialect.name == "postgresql":
            held: Any = connection.connection.dbapi_connection
            held.limit_s = float("inf")  # a step may have much to do
            connection.execute(text("SET LOCAL statement_timeout = 0"))
            connection.execute(text("SET LOCAL lock_timeout = '120s'"))
            connection.execute(
                text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK}
            )
        yield _config(connection)


def upgrade(database: Database, revision: str = "head") -> None:
    """Run every migration up to ``revision`` that has not run yet.

    Raises
    ------
    LaterVersionError
    """
    present = _revision(database)
    if revision == "head" and present == head():
        return  # no lock is taken for nothing
    if not _known(present):
        raise LaterVersionError(_later())
    with _locked(database) as config:
        command.upgrade(config, revision)


def downgrade(database: Database, revision: str = "base") -> None:
    """Take migrations back, down to ``revision``."""
    with _locked(database) as config:
        command.downgrade(config, revision)


def check(database: Database) -> None:
    """Raise when the tables in code and the migrations disagree."""
    with _locked(database) as config:
        command.check(config)


def revise(database: Database, message: str) -> None:
    """Write a migration for what changed in ``app.db.tables``."""
    with _locked(database) as config:
        command.revision(config, message, autogenerate=True)


@cache
def head() -> str | None:
    """Return the newest revision that this version of the program knows."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def at_head(database: Database) -> bool:
    """Tell whether the database has exactly the tables of this version."""
    return _revision(database) == head()


def fault(database: Database) -> str | None:
    """Return what is wrong with the tables and what to do; None when all is well."""
    revision = _revision(database)
    if revision == head():
        return None
    if not _known(revision):
        return _later()
    return "the database has other tables than this version: run demur migrate"


def _revision(database: Database) -> str | None:
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@cache
def _known(revision: str | None) -> bool:
    steps = ScriptDirectory.from_config(_config()).walk_revisions()
    return revision is None or any(step.revision == revision for step in steps)


def _later() -> str:
    return (
        f"the database was made by a later version than this one, {version('demur')}:"
        " run that version, or restore a backup that this one has made"
    )
