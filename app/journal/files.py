"""The files of the prediction log, by day (UTC).

    <data folder>/predictions/2026-03-02.<token>.jsonl

Every process that writes has files of its own, and begins a new one each day, when one
has grown large, and after a write that failed. A file goes as a whole: when the time
it is kept for is over, or when an operator says so.
"""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

__all__ = ["delete_before", "expire", "log_files", "name_of"]

_NAME = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})\.[0-9a-f]{16}\.jsonl")


def name_of(day: date, token: str) -> str:
    """Return the name of a file; ``token`` is 16 hexadecimal digits."""
    return f"{day.isoformat()}.{token}.jsonl"


def log_files(folder: Path) -> Iterator[tuple[date, Path]]:
    """Yield the day and the path of every file of the log, oldest day first."""
    for path in sorted(folder.glob("*.jsonl")):
        parts = _NAME.fullmatch(path.name)
        if parts:
            yield date.fromisoformat(parts["day"]), path


def delete_before(folder: Path, day: date) -> int:
    """Delete the files of all days before this one; return how many there were."""
    old = [path for of, path in log_files(folder) if of < day]
    for path in old:
        path.unlink(missing_ok=True)
    return len(old)


def expire(folder: Path, today: date, days: int) -> int:
    """Delete what was written more than ``days`` days ago."""
    return delete_before(folder, today - timedelta(days=days))
