"""The files of the prediction log, by day (UTC).

    predictions/2026-03-02.<token>.jsonl

Every process that writes has files of its own, and begins a new one each day, when one
has grown large, and after a write that failed. A file goes as a whole: when the time
it is kept for is over, or when an operator says so.
"""

import fcntl
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

from app.blobs.interface import Place, Remote
from app.blobs.opening import open_blobs

__all__ = ["Shipping", "delete_before", "expire", "log_files", "name_of"]

_NAME = re.compile(r"(?P<day>\d{4}-\d{2}-\d{2})\.[0-9a-f]{16}\.jsonl")


def name_of(day: date, token: str) -> str:
    """Return the name of a file; ``token`` is 16 hexadecimal digits."""
    return f"{day.isoformat()}.{token}.jsonl"


def log_files(place: Place) -> Iterator[tuple[date, str]]:
    """Yield the day and the name of every file of the log, oldest day first."""
    for name in sorted(file.name for file in open_blobs(place).list()):
        parts = _NAME.fullmatch(name)
        if parts:
            yield date.fromisoformat(parts["day"]), name


def delete_before(place: Place, day: date) -> int:
    """Delete the files of all days before this one; return how many there were."""
    blobs = open_blobs(place)
    old = [name for of, name in log_files(place) if of < day]
    for name in old:
        blobs.delete(name)
    return len(old)


def expire(place: Place, today: date, days: int) -> int:
    """Delete what was written more than ``days`` days ago."""
    return delete_before(place, today - timedelta(days=days))


class Shipping:
    """Brings what a machine has finished of the log to its place in an object store.

    Parameters
    ----------
    place : Remote
    folder : Path
        Where this machine's processes write. One that is written is locked.
    """

    def __init__(self, place: Remote, folder: Path) -> None:
        self._blobs, self._folder = open_blobs(place), folder

    def ship(self) -> None:
        """Move every finished file, those of killed processes too.

        Raises
        ------
        OSError
            When the store does not answer; what is left goes the next time.
        """
        for path in sorted(self._folder.glob("*.jsonl")):
            with suppress(FileNotFoundError, BlockingIOError), path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if path.exists():
                    self._blobs.take(path.name, path)
