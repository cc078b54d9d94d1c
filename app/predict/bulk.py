"""The process beside the server that answers very large requests.

Decoding holds Python's interpreter lock for as long as it runs, so a body of many
megabytes would stop every other request of the process, in whichever thread it runs.
Such a body comes here unread; this process has a database connection and models of its
own.
"""

import logging
import multiprocessing
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

from threadpoolctl import threadpool_limits

from app.artifacts.loaded import LoadedModels
from app.artifacts.store import ArtifactStore
from app.db.session import Database, open_database
from app.journal.entries import Entry, Stamp
from app.models.catalogue import Reference
from app.models.queries import ResolvedVersion, resolve
from app.predict.envelope import read_envelope
from app.predict.ready import ReadyModel
from app.predict.work import Answered, answer_in_parts, ask
from app.web.failures import translate

__all__ = ["answer_body", "begin"]

log = logging.getLogger(__name__)

PART_ROWS = 512
"""Rows at a time: enough for vector speed, few enough for the cache."""

_MODELS = 4
_NICENESS = 5


class _Process:
    """What this process holds once it has begun."""

    database: Database
    loaded: LoadedModels[ReadyModel]


def begin(database_url: str, artifacts: str) -> None:
    """Prepare the process; it ends when the server does, however that ends."""
    Thread(target=_end_with_the_server, daemon=True).start()
    threadpool_limits(1)
    with suppress(OSError):
        os.nice(_NICENESS)
    _Process.database = open_database(database_url)
    store = ArtifactStore(Path(artifacts), "bulk")
    _Process.loaded = LoadedModels(store.read, ReadyModel, _MODELS)


def answer_body(body: bytes, stamp: Stamp | None = None) -> Answered:
    """Answer one body.

    Parameters
    ----------
    body : bytes
    stamp : Stamp, optional
        Of the request, where the prediction log is on: the answer brings its lines.

    Raises
    ------
    ApiError
        Whatever went wrong, in a form that crosses the process border.
    """
    try:
        envelope = read_envelope(body)
        version = _resolved(Reference.parse(envelope.model))
        entry = None if stamp is None else Entry(stamp)
        ready = _Process.loaded.get(version.sha256)
        steps = answer_in_parts(ask(ready, version, envelope, entry), PART_ROWS)
        lines: list[bytes] = []
        while True:
            try:
                next(steps)
            except StopIteration as end:
                answered: Answered = end.value
                return replace(answered, logged=b"".join(lines))
            if entry is not None:
                lines += entry.pack()
    except Exception as error:
        problem = translate(error)
        if problem is not error:
            log.exception("a large request failed")
        raise problem from None


def _resolved(reference: Reference) -> ResolvedVersion:
    with _Process.database.read() as session:
        found = resolve(session, reference.name, reference.version, reference.alias)
    if found is None:
        raise reference.unknown()
    return found


def _end_with_the_server() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
