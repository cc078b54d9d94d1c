"""The process beside the server that answers very large requests.

Decoding holds Python's interpreter lock for as long as it runs, so a body of many
megabytes would stop every other request of the process, in whichever thread it runs.
Such a body comes here unread; this process has a database connection and models of its
own.
"""

import gc
import logging
import multiprocessing
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Thread

from sqlalchemy.exc import SQLAlchemyError
from threadpoolctl import threadpool_limits

from app.artifacts.loaded import LoadedModels
from app.artifacts.store import ArtifactStore
from app.blobs.interface import Place
from app.db.session import PATIENCE_S, Database, open_database
from app.errors import InvalidRequestError, MalformedRequestError
from app.journal.entries import Entry, Stamp
from app.models.catalogue import Reference
from app.models.queries import ResolvedVersion, resolve
from app.predict.arena import BODY_BYTES, Arena
from app.predict.at_once import Answered, ask, has_more_keys
from app.predict.envelope import Envelope, read_envelope
from app.predict.parts import answer_in_parts
from app.predict.ready_model import ReadyModel
from app.web.depth import require_depth
from app.web.duplicates import require_distinct_keys
from app.web.failures import logged_problem

__all__ = ["Limits", "Reply", "answer_body", "begin"]

log = logging.getLogger(__name__)

PART_ROWS = 512
"""Rows at a time: enough for vector speed, few enough for the cache."""

_MODELS = 4
_MOST_KNOWN = 1024
_NICENESS = 2
"""Enough to let the server go first; more, and whatever else runs takes its place."""
_OBJECTS = 100_000
"""Objects between two collections: an answer makes many, and none in a cycle."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may have at most, and its database."""

    depth: int
    rows: int
    patience_s: float = PATIENCE_S
    """Silence after which the database is taken to be away."""
    stale_s: float = 0.0
    """How old may be what is known of a model while it is."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; its bytes are in the arena where ``size`` says how many."""

    answered: Answered
    size: int | None = None


class _Process:
    """What this process holds once it has begun."""

    database: Database
    known: dict[Reference, tuple[float, ResolvedVersion]]
    loaded: LoadedModels[ReadyModel]
    limits: Limits
    arena: Arena | None


def begin(
    database_url: str, artifacts: Place, limits: Limits, arena: Arena | None = None
) -> None:
    """Prepare the process; it ends when the server does, however that ends."""
    Thread(target=_end_with_the_server, daemon=True).start()
    threadpool_limits(1)
    with suppress(OSError):
        os.nice(_NICENESS)
    _Process.database = open_database(database_url, patience_s=limits.patience_s)
    _Process.known = {}
    store = ArtifactStore(artifacts, "bulk")
    _Process.loaded = LoadedModels(store.read, ReadyModel, _MODELS)
    _Process.limits, _Process.arena = limits, arena
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS)


def answer_body(sent: bytes | int, stamp: Stamp | None = None) -> Reply:
    """Answer one body.

    Parameters
    ----------
    sent : bytes or int
        The body; or its size, where it is in the arena.
    stamp : Stamp, optional
        Of the request, where the prediction log is on: the answer brings its lines.

    Raises
    ------
    ApiError
        Whatever went wrong, in a form that crosses the process border.
    """
    arena = _Process.arena
    try:
        if isinstance(sent, bytes) or arena is None:
            return Reply(_answered(bytes(sent), stamp))
        answered = _answered(arena.body(sent), stamp)
        if not arena.put_answer(answered.pieces):
            return Reply(answered)
        return Reply(replace(answered, pieces=()), sum(map(len, answered.pieces)))
    except Exception as error:  # noqa: BLE001 - told there
        raise logged_problem(error, "a large request failed") from None


def _answered(body: bytes, stamp: Stamp | None) -> Answered:
    """Answer a body that is not nested too deeply.

    What its model's decoder has taken is as deep as that decoder: only what it passes
    over or refuses is looked at by itself.
    """
    limits = _Process.limits
    try:
        envelope = read_envelope(body)
        if envelope.ignore_extra:
            require_depth(body, limits.depth)
        return _taken(body, envelope, stamp)
    except (MalformedRequestError, InvalidRequestError):
        require_depth(body, limits.depth)
        raise


def _taken(body: bytes, envelope: Envelope, stamp: Stamp | None) -> Answered:
    version = _resolved(Reference.parse(envelope.model))
    entry = None if stamp is None else Entry(stamp)
    ready = _Process.loaded.get(version.sha256)
    question = ask(ready, version, envelope, entry, _Process.limits.rows)
    steps = answer_in_parts(question, PART_ROWS, decoded=len(body) <= BODY_BYTES)
    lines: list[bytes] = []
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answered: Answered = end.value
            if has_more_keys(body, envelope, question, answered.tally.rows):
                require_distinct_keys(body)
            if answered.intake is not None:
                answered.intake.draw()  # the rows themselves stay here
            return replace(answered, logged=b"".join(lines))
        if entry is not None:
            lines += entry.pack()


def _resolved(reference: Reference) -> ResolvedVersion:
    """Ask the database; while it does not answer, use its last answer for a time."""
    known, asked_at = _Process.known, time.monotonic()
    try:
        with _Process.database.read() as session:
            version = resolve(
                session, reference.name, reference.version, reference.alias
            )
    except SQLAlchemyError:
        if reference not in known:
            raise
        answered_at, last = known[reference]
        if asked_at - answered_at > _Process.limits.stale_s:
            raise
        return last
    known.pop(reference, None)
    if version is None:
        raise reference.unknown()
    if len(known) >= _MOST_KNOWN:
        del known[next(iter(known))]
    known[reference] = asked_at, version
    return version


def _end_with_the_server() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
