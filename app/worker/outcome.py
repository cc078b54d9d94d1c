"""From a training process's last word to the end of its job.

A database that is away raises, and the same last word is settled again later: nothing
here is done twice by being asked twice.
"""

import logging

from sqlalchemy.exc import DBAPIError, OperationalError

from app.db.session import Database
from app.errors import TrainingFailedError
from app.models.publication import wait_until_visible
from app.worker import finish, parts
from app.worker.claim import Claim
from app.worker.messages import (
    Cancelled,
    Decided,
    Done,
    Failed,
    Kept,
    LastWord,
    Planned,
)

__all__ = ["keep", "settle"]

log = logging.getLogger(__name__)


def settle(database: Database, held: Claim, word: LastWord) -> None:
    """Write ``word`` into the job that ``held`` holds."""
    if isinstance(word, Done):
        word = _publish(database, held, word)
    with database.write() as session:
        if isinstance(word, Failed):
            finish.fail(session, held, word.problem)
        elif isinstance(word, Planned):
            parts.divide(session, held, word.shards)
        elif isinstance(word, Decided):
            finish.decided(session, held, word.result)
        elif isinstance(word, Cancelled):
            finish.cancel(session, held)
    log.info("job %s: %s", held.job_id, type(word).__name__.lower())


def keep(database: Database, held: Claim, figures: list[Kept]) -> None:
    """Write down what candidates of a search did, and take it off the list."""
    if figures:
        with database.write() as session:
            finish.keep(session, held, figures)
        figures.clear()


def _publish(database: Database, held: Claim, done: Done) -> LastWord:
    """Make the version visible, everywhere, and only then call the job succeeded."""
    try:
        with database.write() as session:
            version = finish.publish(session, held, done)
    except OperationalError:
        raise
    except DBAPIError as error:
        log.exception("job %s: the version cannot be stored", held.job_id)
        reason = f"the version cannot be stored ({type(error).__name__})"
        return Failed(TrainingFailedError(reason).problem())
    if version is not None:
        wait_until_visible()
        with database.write() as session:
            finish.succeed(session, held, version)
    return done
