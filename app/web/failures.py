"""Failures of the ground under the service, told as problems: disk and database."""

import errno
import logging

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from app.errors import (
    ApiError,
    NotReadyError,
    ServiceUnavailableError,
    StorageFullError,
)

__all__ = ["translate"]

log = logging.getLogger(__name__)

NO_ROOM = {errno.ENOSPC, errno.EDQUOT}
FULL = ("database or disk is full", "No space left on device")
NO_TABLE = ("no such table", "no such column")  # SQLite
UNDEFINED = {"42P01", "42703"}  # PostgreSQL: table, column
READ_ONLY = ("readonly database", "read-only transaction")


def translate(error: BaseException) -> ApiError:
    """Return the problem that an unforeseen error is answered with.

    The error itself goes to the log only: its text may quote what was sent.
    """
    if isinstance(error, ApiError):
        return error
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return StorageFullError("the data folder has no room left")
    if isinstance(error, OSError) and error.errno == errno.EROFS:
        return StorageFullError("the data folder is read-only")
    if isinstance(error, DBAPIError):
        said = str(error.orig)
        if any(text in said for text in FULL):
            return StorageFullError("the database has no room left")
        if any(text in said for text in READ_ONLY):
            return StorageFullError("the database is read-only")
        if _other_tables(error):
            return NotReadyError(
                "the database has other tables than this version: run demur migrate"
            )
    if isinstance(error, OperationalError | PoolTimeoutError):
        log.error("database: %s", getattr(error, "orig", error))
        return ServiceUnavailableError("the database does not answer; try again")
    return ApiError("the request could not be answered; the log says why")


def _other_tables(error: DBAPIError) -> bool:
    """Tell whether a table or column is missing: this version has not migrated."""
    state = getattr(error.orig, "sqlstate", None)
    return state in UNDEFINED or any(text in str(error.orig) for text in NO_TABLE)
