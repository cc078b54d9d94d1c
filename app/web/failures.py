"""Failures of the ground under the service, told as problems: disk and database."""

import errno
import logging

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.blobs.interface import StoreAwayError
from app.db.session import is_held
from app.db.watch import SilentDatabaseError
from app.errors import (
    ApiError,
    NotReadyError,
    ServiceUnavailableError,
    StorageFullError,
)
from app.room import NO_ROOM

__all__ = ["FAILURES", "logged_problem", "translate"]

log = logging.getLogger(__name__)

FAILURES: tuple[type[Exception], ...] = (OSError, SQLAlchemyError)
"""What may fail under any request."""

FULL = ("database or disk is full", "No space left on device")
NO_TABLE = ("no such table", "no such column")  # SQLite
UNDEFINED = {"42P01", "42703"}  # PostgreSQL: table, column
READ_ONLY = ("readonly database", "read-only transaction")


def logged_problem(error: Exception, what: str) -> ApiError:
    """Return the problem, and log it; what nobody has foreseen with its trace."""
    problem = translate(error)
    if type(problem) is ApiError and problem is not error:
        log.error("%s", what, exc_info=error)
    elif problem is not error and not isinstance(error, SilentDatabaseError):
        log.error("%s: %s", what, problem)
    return problem


def translate(error: BaseException) -> ApiError:
    """Return the problem that an unforeseen error is answered with.

    The error itself goes to the log only: its text may quote what was sent.
    """
    if isinstance(error, ApiError):
        return error
    if isinstance(error, StoreAwayError):
        log.error("store: %s", error)
        return ServiceUnavailableError("the store does not answer; try again")
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return StorageFullError("the data folder has no room left")
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return StorageFullError("the data folder is read-only")
    problem = _of_database(error) if isinstance(error, DBAPIError) else None
    if problem is not None:
        return problem
    if isinstance(error, OperationalError | PoolTimeoutError):
        if not isinstance(error, SilentDatabaseError):  # that was told once for all
            log.error("database: %s", getattr(error, "orig", error))
        return ServiceUnavailableError("the database does not answer; try again")
    return ApiError("the request could not be answered; the log says why")


def _of_database(error: DBAPIError) -> ApiError | None:
    """Return the problem of a database that says what is the matter."""
    message = str(error.orig)
    if any(text in message for text in FULL):
        return StorageFullError("the database has no room left")
    if any(text in message for text in READ_ONLY):
        return StorageFullError("the database is read-only")
    if _other_tables(error):
        return NotReadyError(
            "the database has other tables than this version: run demur migrate"
        )
    if is_held(error):
        return ServiceUnavailableError("another request holds this; try again")
    return None


def _other_tables(error: DBAPIError) -> bool:
    """Tell whether a table or column is missing: this version has not migrated."""
    state = getattr(error.orig, "sqlstate", None)
    return state in UNDEFINED or any(text in str(error.orig) for text in NO_TABLE)
