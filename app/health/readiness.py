"""What the service needs before it can serve, looked at each time it is asked."""

from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from app.artifacts import identity
from app.blobs.interface import Remote, StoreAwayError
from app.blobs.opening import open_blobs
from app.db import migrate
from app.errors import FieldError
from app.health.workers import lives_anywhere
from app.room import NO_ROOM, is_full, try_to_write
from app.state import AppState

__all__ = ["NO_ROOM_LEFT", "NO_STORE", "NO_WORKER", "missing", "notes_on"]

NO_WORKER = (
    "no worker lives: trainings are queued and wait for one; see the log of `demur"
    " serve`, or start `demur worker`"
)
NO_ROOM_LEFT = (
    "the disk is full: read-only. What is there is answered, predictions too; what"
    " writes is 507 until there is room"
)
NO_STORE = (
    "the object store does not answer: models in memory or in the cache go on"
    " answering; what needs the store is 503 until it does"
)


def missing(state: AppState) -> list[FieldError]:
    """Return what is not as it should be; an empty list when all is well."""
    away = _database(state)
    remote = isinstance(state.settings.place, Remote)
    one_machine = state.settings.embedded and not remote
    return [*away, *([] if away or one_machine else _store(state)), *_folder(state)]


def notes_on(state: AppState) -> list[str]:
    """Return what does not work though requests can be answered."""
    notes = [] if lives_anywhere(state.database) else [NO_WORKER]
    if state.database.only_read or is_full(state.settings.data_dir):
        notes.insert(0, NO_ROOM_LEFT)
    place = state.settings.place
    if isinstance(place, Remote) and not _answers(place):
        notes.insert(0, NO_STORE)
    return notes


def _database(state: AppState) -> list[FieldError]:
    try:
        fault = migrate.fault(state.database)
    except SQLAlchemyError:
        return [FieldError("/database", _away(state))]
    return [] if fault is None else [FieldError("/migrations", fault)]


def _store(state: AppState) -> list[FieldError]:
    """Return whether the store is another's; the database is known to be there."""
    try:
        fault = identity.fault(state.database, state.store)
    except StoreAwayError:
        return []  # noted, since requests are answered
    return [] if fault is None else [FieldError("/data_dir", fault)]


def _answers(place: Remote) -> bool:
    try:
        open_blobs(place).find(identity.TOKEN_FILE)
    except StoreAwayError:
        return False
    return True


def _away(state: AppState) -> str:
    silent_s, most_s = state.database.silent_s, state.settings.stale_seconds
    if silent_s is None:
        return "the database cannot be reached"
    left_s = max(0.0, most_s - silent_s)
    return (
        f"the database does not answer, {silent_s:.0f} s by now; predictions go on by"
        f" what was known last of models and keys, {left_s:.0f} s more"
        " (DEMUR_STALE_SECONDS)"
    )


def _folder(state: AppState) -> list[FieldError]:
    try:
        place = state.settings.artifacts_dir
        if isinstance(place, Path):
            place.mkdir(parents=True, exist_ok=True)
        try_to_write(state.settings.data_dir)
    except OSError as error:
        if error.errno in NO_ROOM:
            return []  # noted, since requests are answered
        return [FieldError("/data_dir", "the data folder cannot be written")]
    return []
