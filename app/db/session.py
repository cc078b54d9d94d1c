"""The way to the database: one engine, and the only place that commits.

A reading session sees one snapshot and never waits. A writing session takes SQLite's
write lock at its beginning (``BEGIN IMMEDIATE``): a transaction that reads first and
writes later would fail at once when another wrote in between, whatever the timeout.
Those of one process stand in a line for it (`app.db.turns`).
What a power cut may undo need not wait for the disk: see ``Database.write``.
A request has one session; it commits when the route returns, before the reply is sent
(FastAPI would otherwise reply first and find the failure later).

On PostgreSQL nothing waits for long: not for a lock that another holds, not for a
statement, and not for a server that hangs (`app.db.watch`).
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import psycopg
from fastapi import Depends, Request
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.orm import Session, sessionmaker

from app.db.full_disk import Spare
from app.db.turns import Turns
from app.db.watch import PatientConnection, Watch

__all__ = ["Database", "Reading", "Transaction", "is_held", "open_database"]

BUSY_TIMEOUT_MS = 20_000
PATIENCE_S = 2.0
LOCK_S = 2.0
READING_S, WRITING_S = 5.0, 20.0
"""Longest that a server which answers others is waited for, by statement."""

POSTGRES = "-c statement_timeout=15s -c idle_in_transaction_session_timeout=60s"
"""A client that vanished in a transaction holds its locks no longer than that."""

_HELD = "55P03"
SQLITE_CONNECT = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what is erased leaves the file
)


@dataclass(frozen=True, slots=True)
class Database:
    """An engine with its two kinds of sessions."""

    engine: Engine
    readers: sessionmaker[Session]
    writers: sessionmaker[Session]
    lenders: sessionmaker[Session]
    """Of writing sessions that do not wait for the disk."""
    watch: Watch | None = None
    """Of a server, which may hang."""
    spare: Spare | None = None
    """Of a file, whose disk may be full."""

    def read(self) -> AbstractContextManager[Session]:
        """Open a session that sees one snapshot and changes nothing.

        Raises
        ------
        SilentDatabaseError
            When the server is known not to answer.
        """
        self._require_answer()
        return self.readers.begin()

    def write(self, *, lasting: bool = True) -> AbstractContextManager[Session]:
        """Open a session that commits at its end and rolls back when it raises.

        Parameters
        ----------
        lasting : bool
            Whether what was committed survives a power cut. What does not is lost in
            order, and never in part; a process that is killed loses none of it.

        Raises
        ------
        SilentDatabaseError
            As above.
        """
        self._require_answer()
        return (self.writers if lasting else self.lenders).begin()

    def _require_answer(self) -> None:
        if self.watch is not None:
            self.watch.require_answer()

    @property
    def only_read(self) -> bool:
        """Whether the disk was full when it was opened: nothing is written then."""
        return self.spare is not None and self.spare.in_use

    @property
    def silent_s(self) -> float | None:
        """Seconds since the server does not answer; None when it does."""
        return None if self.watch is None else self.watch.silent_s

    def writing_engine(self) -> Engine:
        """Return the engine whose transactions hold the write lock from the start."""
        return self.engine.execution_options(writes=True)

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def is_held(error: BaseException) -> bool:
    """Tell whether a statement has failed for what another transaction holds."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) == _HELD


def open_database(
    url: str,
    *,
    patience_s: float = PATIENCE_S,
    lock_s: float = LOCK_S,
    pool_size: int = 10,
) -> Database:
    """Return the database at ``url``; nothing is connected yet.

    Parameters
    ----------
    url : str
        ``sqlite:///FILE`` or ``postgresql+psycopg://...``.
    patience_s : float
        Silence after which a server is taken to be away.
    lock_s : float
        Longest wait for what another transaction holds, on PostgreSQL.
    pool_size : int
        Connections that are kept open.
    """
    watch = spare = None
    options: dict[str, Any] = {
        "pool_size": pool_size,
        "max_overflow": 30,
        "hide_parameters": True,  # errors are logged, what was sent is not
    }
    if url.startswith("sqlite"):
        engine = create_engine(
            url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000}, **options
        )
        spare = Spare(engine)
        event.listen(engine, "connect", _prepare_sqlite)
        turns = Turns(engine, BUSY_TIMEOUT_MS / 1000)
        event.listen(engine, "begin", partial(_begin_sqlite, turns))
    else:
        arguments = {
            "connect_timeout": 2,
            "options": f"{POSTGRES} -c lock_timeout={lock_s:g}s -c timezone=UTC",
        }
        engine = create_engine(
            url, pool_pre_ping=True, connect_args=arguments, **options
        )
        watch = _watched(engine, patience_s)
    return Database(
        engine,
        sessionmaker(engine, expire_on_commit=False),
        sessionmaker(engine.execution_options(writes=True), expire_on_commit=False),
        sessionmaker(
            engine.execution_options(writes=True, lasting=False), expire_on_commit=False
        ),
        watch,
        spare,
    )


def _watched(engine: Engine, patience_s: float) -> Watch:
    """Let no connection of an engine wait for a server that hangs."""
    positional, named = engine.dialect.create_connect_args(engine.url)

    def ask() -> PatientConnection:
        return PatientConnection.connect(*positional, **{**named, "connect_timeout": 2})

    def connect(*arguments: Any) -> PatientConnection:
        watch.await_verdict()
        _, _, positional, named = arguments
        try:
            connection = PatientConnection.connect(*positional, **named)
        except psycopg.OperationalError:
            watch.suspect()
            raise
        connection.watch, connection.limit_s = watch, READING_S
        return connection

    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        limit_of(
            connection.connection.dbapi_connection, WRITING_S if writes else READING_S
        )
        if not _lasting(connection):
            connection.exec_driver_sql("SET LOCAL synchronous_commit = off")

    def checkin(connection: Any, record: object) -> None:
        del record
        limit_of(connection, watch.half_s)  # the next thing is to ask if it lives

    def limit_of(connection: Any, seconds: float) -> None:
        if connection is not None:
            connection.limit_s = seconds

    watch = Watch(patience_s, ask)
    event.listen(engine, "do_connect", connect)
    event.listen(engine, "begin", begin)
    event.listen(engine, "checkin", checkin)
    return watch


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


def _begin_sqlite(turns: Turns, connection: Connection) -> None:
    """Begin with or without the write lock, as the session asked."""
    writes = connection.get_execution_options().get("writes", False)
    if writes:
        turns.take(connection)
        waits = "FULL" if _lasting(connection) else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous = {waits}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _lasting(connection: Connection) -> bool:
    lasting: bool = connection.get_execution_options().get("lasting", True)
    return lasting


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
