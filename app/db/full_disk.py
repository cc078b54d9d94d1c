"""An embedded database whose disk is full: what is there is read from a copy elsewhere.

SQLite needs room beside a database even to read it. Where there is none, its files are
copied to the folder for temporary files and connections go to the copy, which takes no
writes. Once a second one of them looks whether the database itself can be opened again,
and then all are replaced.
"""

import logging
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import DisconnectionError

from app.room import is_full

__all__ = ["Spare"]

log = logging.getLogger(__name__)

_LOOK_EVERY_S = 1.0
_READ = "SELECT count(*) FROM sqlite_master"
_COPY = "copy"


class Spare:
    """Where the connections of one engine go while the disk is full."""

    def __init__(self, engine: Engine) -> None:
        self._file = Path(engine.url.database or "")
        self._lock, self._look_at = Lock(), 0.0
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        event.listen(engine, "do_connect", self._connect)
        event.listen(engine, "checkout", self._checkout)

    @property
    def in_use(self) -> bool:
        """Whether what is read is a copy."""
        return self._folder is not None

    def _connect(
        self, _: object, record: Any, place: tuple[Any, ...], options: dict[str, Any]
    ) -> sqlite3.Connection:
        try:
            made = _readable(*place, **options)
        except sqlite3.OperationalError:
            if not self._file.exists() or not is_full(self._file.parent):
                raise
            made = _readable(self._copied(), **options)
            made.execute("PRAGMA query_only = ON")
            record.info[_COPY] = True
        else:
            self._drop()
        return made

    def _checkout(self, _: object, record: Any, __: object) -> None:
        """Send a connection to the copy away when the database can be opened again."""
        if _COPY in record.info and (not self.in_use or self._opens()):
            raise DisconnectionError

    def _opens(self) -> bool:
        with self._lock:
            now = time.monotonic()
            if now < self._look_at:
                return False
            self._look_at = now + _LOOK_EVERY_S
        try:
            _readable(str(self._file)).close()
        except sqlite3.OperationalError:
            return False
        return True

    def _copied(self) -> str:
        with self._lock:
            if self._folder is None:
                log.error("the disk is full: the database is only read, from a copy")
                folder = tempfile.TemporaryDirectory(prefix="demur-read-only-")
                for end in ("", "-wal"):
                    source = self._file.with_name(self._file.name + end)
                    if source.exists():
                        shutil.copy(source, folder.name)
                self._folder = folder
            return str(Path(self._folder.name) / self._file.name)

    def _drop(self) -> None:
        with self._lock:
            if self._folder is not None:
                log.warning("the database itself is used again")
                self._folder.cleanup()
                self._folder = None


def _readable(*place: Any, **options: Any) -> sqlite3.Connection:
    """Open a database, and make sure that it can be read."""
    made: sqlite3.Connection = sqlite3.connect(*place, **options)
    try:
        made.execute(_READ).fetchone()
    except sqlite3.Error:
        made.close()
        raise
    return made
