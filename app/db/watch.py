"""A watch on a PostgreSQL server: no query waits longer than the server may be silent.

A server that hangs accepts queries and never answers. So every wait ends on this side:

    half of the patience without a word   a fresh connection is opened and asked
    no answer by the end of it            the server is silent: all waits end at once,
                                          and nobody begins one until it answers again
    a connection of the pool, asked whether it lives        ends after half of it alone
    a statement, where the server answers others            ends after ``reading`` or
                                                            ``writing`` seconds

Those that are over are closed and never used again.
"""

import logging
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

import psycopg
from sqlalchemy.exc import OperationalError

__all__ = ["PatientConnection", "SilentDatabaseError", "Watch"]

log = logging.getLogger(__name__)

_ASK_EVERY_S = 0.5
_NO_WORD = 0
"""What psycopg sends into a wait when there was nothing to read for a moment."""


class SilentDatabaseError(OperationalError):
    """The database does not answer; told at once, without another wait."""

    def __init__(self) -> None:
        super().__init__("", {}, psycopg.OperationalError("it does not answer"))


class Watch:
    """What one process knows of its server.

    Parameters
    ----------
    patience_s : float
        Silence after which the server is taken to be away.
    connect : callable
        Opens a fresh connection.
    """

    def __init__(
        self, patience_s: float, connect: Callable[[], "PatientConnection"]
    ) -> None:
        self.half_s, self._connect = patience_s / 2, connect
        self._lock = threading.Lock()
        self._asked_s: float | None = None
        self._refused = False
        self._told = False
        self._answered = threading.Event()

    @property
    def silent(self) -> bool:
        """Whether the server was asked and has not answered in time."""
        asked_s = self._asked_s
        if asked_s is None:
            return False
        return self._refused or time.monotonic() - asked_s > self.half_s

    @property
    def silent_s(self) -> float | None:
        """Seconds since the server was first asked in vain; None when it answers."""
        asked_s = self._asked_s
        return time.monotonic() - asked_s if self.silent and asked_s else None

    def require_answer(self) -> None:
        """Refuse to begin what would wait.

        Raises
        ------
        SilentDatabaseError
        """
        if self.silent:
            raise SilentDatabaseError

    def suspect(self) -> None:
        """Ask the server whether it lives, in a thread, unless that is done already."""
        with self._lock:
            if self._asked_s is not None:
                return
            self._asked_s, self._refused, self._told = time.monotonic(), False, False
            self._answered.clear()
        threading.Thread(target=self._ask, name="database-watch", daemon=True).start()

    def await_verdict(self) -> None:
        """Wait until a server that was asked has answered, or is known to be silent.

        Raises
        ------
        SilentDatabaseError
        """
        asked_s = self._asked_s
        if asked_s is not None:
            self._answered.wait(max(0.0, asked_s + self.half_s - time.monotonic()))
        self.require_answer()

    def _ask(self) -> None:
        while not self._lives():
            asked_s = self._asked_s or time.monotonic()
            lasting = time.monotonic() - asked_s > self.half_s  # no command does
            if lasting and not self._told:
                log.error("the database does not answer")
                self._told = True
            time.sleep(_ASK_EVERY_S)
        if self._told:
            log.warning("the database answers again")
        with self._lock:
            self._asked_s = None
            self._answered.set()

    def _lives(self) -> bool:
        try:
            with self._connect() as connection:
                connection.execute("SELECT 1")
        except psycopg.Error:
            self._refused = True
            self._answered.set()
            return False
        return True


class PatientConnection(psycopg.Connection[Any]):
    """A connection that does not wait for ever."""

    watch: Watch | None = None
    limit_s = float("inf")
    """Longest that one statement is waited for."""

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        """Wait as psycopg does, within patience."""
        return super().wait(self._within_patience(gen), *arguments, **options)

    def _within_patience(self, gen: Any) -> Generator[Any, Any, Any]:
        began_s = time.monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready == _NO_WORD:
                    self._look(time.monotonic() - began_s)
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _look(self, waited_s: float) -> None:
        watch = self.watch
        if watch is not None and waited_s > watch.half_s:
            watch.suspect()
        if waited_s > self.limit_s or (watch is not None and watch.silent):
            self.close()
            msg = "the server does not answer"
            raise psycopg.OperationalError(msg)
