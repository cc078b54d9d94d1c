"""Bring a database to the tables of this version: one process at a time.

The whole upgrade is one transaction that begins by taking a lock (SQLite's write lock,
an advisory lock on PostgreSQL). Of several processes that start at once, one migrates
and the others find that nothing is left to do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

import app
from app.db.session import Database

__all__ = ["at_head", "check", "downgrade", "head", "revise", "upgrade"]

SCRIPTS = Path(app.__file__).parents[1] / "migrations"  # installed side by side
ADVISORY_LOCK = 0x64656D7572  # "demur"


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
            connection.execute(text("SET LOCAL lock_timeout = '120s'"))
            connection.execute(
                text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK}
            )
        yield _config(connection)


def upgrade(database: Database, revision: str = "head") -> None:
    """Run every migration up to ``revision`` that has not run yet."""
    if revision == "head" and at_head(database):
        return  # no lock is taken for nothing
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
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == head()
