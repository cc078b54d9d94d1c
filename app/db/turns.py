"""The threads of one process write to SQLite in the order in which they asked.

SQLite has one writer at a time. A thread that waits for it looks again after pauses
that grow to 100 ms, so the one that has waited longest looks least often and is
overtaken. Here the threads stand in a line instead. The first of the line asks SQLite,
since other processes may be writing.
"""

import sqlite3
from collections import deque
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import OperationalError

__all__ = ["Turns"]

_TURN = "turn"


class Turns:
    """The line of those who write by one engine.

    A turn begins with ``take`` and ends when the connection is back in its pool.

    Parameters
    ----------
    engine : Engine
    patience_s : float
        Longest wait for one's turn.
    """

    def __init__(self, engine: Engine, patience_s: float) -> None:
        self._patience_s = patience_s
        self._lock = Lock()
        self._line: deque[Lock] = deque()
        self._taken = False
        event.listen(engine, "checkin", self._end)

    def take(self, connection: Connection) -> None:
        """Wait for one's turn.

        Raises
        ------
        OperationalError
            When it does not come in time.
        """
        if not self._wait():
            statement, error = "BEGIN IMMEDIATE", "database is locked"
            raise OperationalError(statement, None, sqlite3.OperationalError(error))
        connection.info[_TURN] = True

    def _wait(self) -> bool:
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            called = Lock()
            called.acquire()
            self._line.append(called)
        if called.acquire(timeout=self._patience_s):
            return True
        with self._lock:
            if called in self._line:
                self._line.remove(called)
                return False
        return True  # called at the last moment

    def _end(self, _: object, record: Any) -> None:
        if record.info.pop(_TURN, False):
            with self._lock:
                if self._line:
                    self._line.popleft().release()
                else:
                    self._taken = False
