"""What the service needs before it can serve, looked at each time it is asked."""

import os
import tempfile

from sqlalchemy.exc import SQLAlchemyError

from app.db import migrate
from app.errors import FieldError
from app.state import AppState

__all__ = ["missing"]


def missing(state: AppState) -> list[FieldError]:
    """Return what is not as it should be; an empty list when all is well."""
    return [*_database(state), *_folder(state)]


def _database(state: AppState) -> list[FieldError]:
    try:
        current = migrate.at_head(state.database)
    except SQLAlchemyError:
        return [FieldError("/database", "the database cannot be reached")]
    if not current:
        return [
            FieldError(
                "/migrations",
                "the database has other tables than this version: run demur migrate",
            )
        ]
    return []


def _folder(state: AppState) -> list[FieldError]:
    try:
        state.settings.artifacts_dir.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(".ready", dir=state.settings.data_dir)
        os.close(handle)
        os.unlink(name)  # noqa: PTH108 - the pair of mkstemp
    except OSError:
        return [FieldError("/data_dir", "the data folder cannot be written")]
    return []
