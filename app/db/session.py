"""The way to the database: one engine, and the only place that commits.

A reading session sees one snapshot and never waits. A writing session takes SQLite's
write lock at its beginning (``BEGIN IMMEDIATE``): a transaction that reads first and
writes later would fail at once when another wrote in between, whatever the timeout.
A request has one session; it commits when the route returns, before the reply is sent
(FastAPI would otherwise reply first and find the failure later).
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker

__all__ = ["Database", "Reading", "Transaction", "open_database"]

BUSY_TIMEOUT_MS = 20_000
SQLITE_CONNECT = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",  # an accepted job survives a power cut
)


@dataclass(frozen=True, slots=True)
class Database:
    """An engine with its two kinds of sessions."""

    engine: Engine
    readers: sessionmaker[Session]
    writers: sessionmaker[Session]

    def read(self) -> AbstractContextManager[Session]:
        """Open a session that sees one snapshot and changes nothing."""
        return self.readers.begin()

    def write(self) -> AbstractContextManager[Session]:
        """Open a session that commits at its end and rolls back when it raises."""
        return self.writers.begin()

    def writing_engine(self) -> Engine:
        """Return the engine whose transactions hold the write lock from the start."""
        return self.engine.execution_options(writes=True)

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def open_database(url: str, *, pool_size: int = 10) -> Database:
    """Return the database at ``url``; nothing is connected yet.

    Parameters
    ----------
    url : str
        ``sqlite:///FILE`` or ``postgresql+psycopg://...``.
    pool_size : int
        Connections that are kept open.
    """
    options: dict[str, Any] = {
        "pool_size": pool_size,
        "max_overflow": 30,
        "hide_parameters": True,  # errors are logged, what was sent is not
    }
    if url.startswith("sqlite"):
        engine = create_engine(
            url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000}, **options
        )
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        engine = create_engine(
            url,
            pool_pre_ping=True,
            connect_args={
                "connect_timeout": 5,
                "options": "-c lock_timeout=20s -c timezone=UTC",
            },
            **options,
        )
    return Database(
        engine,
        sessionmaker(engine, expire_on_commit=False),
        sessionmaker(engine.execution_options(writes=True), expire_on_commit=False),
    )


def _prepare_sqlite(connection: Any, record: object) -> None:
    """Set a fresh connection up, and leave every BEGIN to ``_begin_sqlite``."""
    del record
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in SQLITE_CONNECT:
        cursor.execute(pragma)
    # switching to WAL locks the file, which is only worth it once in its life
    if cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """Begin with or without the write lock, as the session asked."""
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _reading(request: Request) -> Iterator[Session]:
    database: Database = request.app.state.app.database
    with database.read() as session:
        yield session


def _transaction(request: Request) -> Iterator[Session]:
    database: Database = request.app.state.app.database
    with database.write() as session:
        yield session


Reading = Annotated[Session, Depends(_reading, scope="function")]
"""A route's session that only reads."""

Transaction = Annotated[Session, Depends(_transaction, scope="function")]
"""A route's session that commits when the route returns, before the reply."""
