"""The prediction log of one process: a bounded queue, and a thread that writes.

Requests hand over what was decided and go on. With ``best-effort`` an answer never
waits: what finds the queue full, or the disk, is counted and lost. With ``required``
the answer goes out when its decisions are written; where they cannot be, the request is
refused.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

from app.blobs.interface import Place, Remote
from app.blobs.opening import local_folder
from app.errors import ApiError, ServiceUnavailableError
from app.grouped import Grouped
from app.journal.counts import LogCounts
from app.journal.entries import Entry, Stamp
from app.journal.files import Shipping, expire
from app.journal.segment import Segment
from app.timer import Timer
from app.web.failures import translate

__all__ = ["MOST_WAITING_ROWS", "Journal", "Mode"]

log = logging.getLogger(__name__)

Mode = Literal["off", "best-effort", "required"]

MOST_WAITING_ROWS = 100_000
"""Rows that may wait to be written; a larger request is taken when none waits."""

_TOLD_EVERY_S = 60.0

SHIP_EVERY_S = 30.0
"""Longest that lines stay on the machine, where the store is an object store."""

Waiting = tuple[Entry, bytes, "Future[None] | None"]


class Journal:
    """Keep decisions.

    Parameters
    ----------
    place : Path or Remote
    mode : {"off", "best-effort", "required"}
    days : int
        How long files are kept.
    counts : LogCounts
    """

    def __init__(self, place: Place, mode: Mode, days: int, counts: LogCounts) -> None:
        self.mode, self._days, self._place = mode, days, place
        folder = local_folder(place, "predictions")
        self._segment = Segment(folder)
        self._counts = counts
        shipped = isinstance(place, Remote)
        self._shipping = Shipping(place, folder) if isinstance(place, Remote) else None
        self._ship = Timer(SHIP_EVERY_S)
        self._written = Grouped[Waiting](
            "prediction-log",
            self._write,
            lambda: MOST_WAITING_ROWS,
            self._between,
            SHIP_EVERY_S if shipped else None,
        )
        if shipped and mode != "off":
            self._written.start()  # what a killed process has left here
        self._told_at = -_TOLD_EVERY_S
        self._expired_on: date | None = None

    def entry(self, request_id: str) -> Entry | None:
        """Return where to note a request's decisions; None when the log is off."""
        return None if self.mode == "off" else Entry(Stamp(request_id))

    async def keep(self, entry: Entry, lines: bytes = b"") -> None:
        """Hand over an entry, with lines of it that are made already.

        Raises
        ------
        ServiceUnavailableError, StorageFullError
            With ``required``, when it cannot be written.
        """
        if self.mode == "best-effort":
            self._put(entry, lines, None)
            return
        done: Future[None] = Future()
        if not self._put(entry, lines, done):
            msg = "the prediction log, which is required, has no room now; try again"
            raise ServiceUnavailableError(msg)
        try:
            await asyncio.wrap_future(done)
        except OSError as error:
            raise _refusal(error) from None

    def adopt(self, entry: Entry, lines: Path) -> None:
        """Take a finished file of lines, which were made of ``entry``.

        Raises
        ------
        ServiceUnavailableError, StorageFullError
            With ``required``, when it cannot be taken.
        """
        try:
            self._segment.adopt(entry.stamp.moment.date(), lines)
        except OSError as error:
            self._lose(entry.rows, error)
            if self.mode == "required":
                raise _refusal(error) from None
        else:
            self._counts.add("written", entry.rows)

    def close(self) -> None:
        """Write what waits, and end."""
        self._written.close()
        self._counts.close()

    def _put(self, entry: Entry, lines: bytes, done: "Future[None] | None") -> bool:
        if self._written.put((entry, lines, done), entry.rows):
            return True
        self._lose(entry.rows, None)
        return False

    def _between(self, last: bool) -> None:
        if last:
            self._segment.close()
        if self._shipping is not None and (self._ship.due() or last):
            self._segment.close()
            try:
                self._shipping.ship()
            except OSError as error:
                log.warning("the prediction log waits on this machine: %s", error)

    def _write(self, taken: list[Waiting]) -> None:
        today = datetime.now(UTC).date()
        rows = sum(entry.rows for entry, _, _ in taken)
        error: Exception | None = None
        try:
            self._expire(today)
            self._segment.append(today, b"".join(_lines(taken)))
        except Exception as failed:  # noqa: BLE001 - logged; the thread lives on
            error = failed
            self._lose(rows, failed)
        else:
            self._counts.add("written", rows)
        for _, _, done in taken:
            if done is not None and done.set_running_or_notify_cancel():
                done.set_result(None) if error is None else done.set_exception(error)

    def _expire(self, today: date) -> None:
        if today != self._expired_on:
            self._expired_on = today
            expire(self._place, today, self._days)

    def _lose(self, rows: int, error: Exception | None) -> None:
        """Count decisions that are not kept, and say so once in a while."""
        self._counts.add("lost", rows)
        now = time.monotonic()
        if now - self._told_at >= _TOLD_EVERY_S:
            self._told_at = now
            why = "too many wait" if error is None else "it cannot be written"
            log.error(
                "decisions are missing from the prediction log: %s", why, exc_info=error
            )


def _lines(taken: list[Waiting]) -> Iterator[bytes]:
    for entry, made, _ in taken:
        yield made
        for line in entry.pack():
            yield line
            time.sleep(0)  # requests take turns with us


def _refusal(error: OSError) -> ApiError:
    problem = translate(error)
    if problem.status != 500:
        return problem
    msg = "the prediction log, which is required, cannot be written; see the log"
    return ServiceUnavailableError(msg)
