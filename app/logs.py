"""Logs as JSON lines on standard error: time, level, logger, message, extra fields.

An exception is logged by its kind and where it was raised. Its text is left out,
because it may quote what was sent, but for failures of the disk and the database.
"""

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from sqlalchemy.exc import OperationalError

__all__ = ["level", "set_up"]

OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object a record."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(
                timespec="milliseconds"
            ),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line.update((k, v) for k, v in vars(record).items() if k not in OWN)
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)

    def formatException(  # noqa: N802 - the library's own name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        """Return kinds and places, from the first cause to the last error."""
        return "\n".join(_traceback_of(ei[1])) if ei[1] is not None else ""


def _traceback_of(error: BaseException) -> Iterator[str]:
    before = error.__cause__ or (
        None if error.__suppress_context__ else error.__context__
    )
    if before is not None:
        yield from _traceback_of(before)
    yield from (line.rstrip() for line in traceback.format_tb(error.__traceback__))
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    if isinstance(error, OperationalError):
        yield f"{kind}: {error.orig}"
    elif isinstance(error, OSError):
        yield f"{kind}: {error.strerror}"
    else:
        yield kind


def level() -> str:
    """Return the level of this process, for those that it starts: they log as it does.

    One that is not set up prints exceptions with their text.
    """
    return logging.getLevelName(logging.getLogger().getEffectiveLevel()).lower()


def set_up(level: str) -> None:
    """Send every log record of this process to standard error, from ``level`` on."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("uvicorn").setLevel(max(logging.WARNING, logging.root.level))
