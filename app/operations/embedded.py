"""The embedded database as a file: where it is, and taking it out of use."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from sqlalchemy import make_url

from app.operations.archive import OperationError
from app.settings import Settings

__all__ = ["companions", "database_file", "retire"]

IN_USE = "the database is in use: stop the service and its workers first"


def database_file(settings: Settings) -> Path:
    """Return the file of the embedded database.

    Raises
    ------
    OperationError
        When the database is a server's.
    """
    if not settings.embedded:
        msg = (
            "the database is a PostgreSQL server: back it up with pg_dump, and after "
            "it the folders artifacts and datasets of the data folder"
        )
        raise OperationError(msg)
    return Path(make_url(settings.database).database or "").absolute()


def companions(database: Path) -> list[Path]:
    """Return what SQLite keeps beside a database that is in use."""
    return [database.with_name(database.name + end) for end in ("-wal", "-shm")]


def retire(database: Path) -> None:
    """Fold what SQLite keeps beside ``database`` into it, so that it is one file.

    Raises
    ------
    OperationError
        When anybody has it open.
    sqlite3.OperationalError
        When the disk is full or read-only.
    """
    if not database.exists():
        return
    with closing(sqlite3.connect(database, timeout=1)) as connection:
        try:
            mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise OperationError(IN_USE) from None
            raise
        except sqlite3.DatabaseError:
            mode = "none"  # it is damaged, and about to be replaced
    if mode == "wal":
        raise OperationError(IN_USE)
    for path in companions(database):  # what a damaged one has left
        with suppress(FileNotFoundError):
            path.unlink()
