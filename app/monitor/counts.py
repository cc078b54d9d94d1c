"""Answered rows of this process, by version and ten minutes, written beside answering.

Noting is adding to numbers in memory; a thread writes them down every few seconds, and
once more at the end. A process that is killed loses what it noted since the last time.
"""

import logging
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from app.db.base import insert_into, utc_now
from app.db.monitor_tables import Bucket
from app.db.session import Database
from app.db.tables import Model, ModelVersion
from app.models.queries import ResolvedVersion
from app.predict.answer import REASONS, Tally

__all__ = ["BUCKET", "BucketCounts", "start_of"]

log = logging.getLogger(__name__)

BUCKET = timedelta(minutes=10)
WRITE_EVERY_S = 5.0
_MOST_BUCKETS = 10_000
"""What is kept in memory while the database is away; older counts are given up."""


def start_of(moment: datetime, length: timedelta = BUCKET) -> datetime:
    """Return when the bucket began that a moment lies in; weeks begin on Mondays."""
    monday = datetime(1970, 1, 5, tzinfo=UTC)
    return monday + (moment - monday) // length * length


@dataclass(slots=True)
class _Counts:
    """One bucket of this process."""

    total: Tally = field(default_factory=Tally)
    written: bool = False

    def row(self) -> dict[str, Any]:
        """Return it as the table has it."""
        total = self.total
        ambiguous = total.rejected - sum(total.guarded)
        rejects = dict(zip(REASONS, (ambiguous, *total.guarded), strict=True))
        return {
            "n_rows": total.rows,
            "positive": total.positive,
            "rejects": dict(+Counter(rejects)),
            "priced": total.priced,
            "cost": total.cost,
            "cells": {str(cell): rows for cell, rows in sorted(total.cells.items())},
        }


class BucketCounts:
    """The counts of one process, and the thread that writes them.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        self._database, self._writer = database, str(uuid.uuid4())
        self._counts: dict[tuple[str, int, datetime], _Counts] = {}
        self._lock, self._stopping = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._present, self._until_s = start_of(utc_now()), 0.0

    def note(self, version: ResolvedVersion, tally: Tally) -> None:
        """Count the rows of one answer."""
        if not tally.rows:
            return
        # looking the bucket up takes longer than all that follows
        if time.time() >= self._until_s:
            self._present = start_of(utc_now())
            self._until_s = (self._present + BUCKET).timestamp()
        key = (version.name, version.version, self._present)
        with self._lock:
            counts = self._counts.get(key)
            if counts is None:
                counts = self._counts[key] = _Counts()
                if len(self._counts) > _MOST_BUCKETS:
                    del self._counts[next(iter(self._counts))]
            counts.total.add(tally)
            counts.written = False
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_on, daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Write what is not written yet, and let the thread end."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _write_on(self) -> None:
        while not self._stopping.wait(WRITE_EVERY_S):
            self._write()
        self._write()

    def _write(self) -> None:
        with self._lock:
            fresh = {k: c.row() for k, c in self._counts.items() if not c.written}
            for key in fresh:
                self._counts[key].written = True
        try:
            with self._database.write() as session:
                for (name, number, start), row in fresh.items():
                    version_id = session.scalar(
                        select(ModelVersion.id)
                        .join(Model, Model.id == ModelVersion.model_id)
                        .where(Model.name == name, ModelVersion.version == number)
                    )
                    if version_id is None:  # deleted meanwhile
                        continue
                    place = {
                        "version_id": version_id,
                        "start": start,
                        "writer": self._writer,
                    }
                    add = insert_into(session, Bucket).values(**place, **row)
                    session.execute(
                        add.on_conflict_do_update(index_elements=list(place), set_=row)
                    )
        except SQLAlchemyError as error:
            log.warning("counts of answers wait for the database: %s", error)
            with self._lock:
                for key in fresh:
                    if key in self._counts:
                        self._counts[key].written = False
            return
        self._forget(start_of(utc_now()))

    def _forget(self, present: datetime) -> None:
        """Drop buckets that are over and written."""
        with self._lock:
            over = [k for k, c in self._counts.items() if c.written and k[2] < present]
            for key in over:
                del self._counts[key]
