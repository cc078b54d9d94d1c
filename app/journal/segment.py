"""The file that one process appends to."""

import fcntl
import os
import secrets
from datetime import date
from io import FileIO
from pathlib import Path

from app.journal.files import name_of

__all__ = ["LARGEST_BYTES", "Segment"]

LARGEST_BYTES = 64 * 1024 * 1024
"""A file that has grown so large is followed by another one."""


class Segment:
    """Append lines to the file of the day.

    Parameters
    ----------
    folder : Path
        Made with the first file.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: FileIO | None = None
        self._day: date | None = None

    def append(self, day: date, lines: bytes) -> None:
        """Write whole lines; the operating system has them then.

        Raises
        ------
        OSError
            When it cannot; nothing follows a line that was cut short.
        """
        try:
            if self._file is None or day != self._day or self._large():
                self._begin(day)
            file = self._file
            assert file is not None  # noqa: S101 - begun
            rest = memoryview(lines)
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; the next lines go to another one."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def adopt(self, day: date, finished: Path) -> None:
        """Take a file of whole lines, from the same file system, into the log."""
        self.folder.mkdir(parents=True, exist_ok=True)
        finished.replace(self._fresh(day))

    def _begin(self, day: date) -> None:
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        # Nobody but the service's own user reads the log.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL
        self._file = FileIO(os.open(self._fresh(day), flags, 0o600), "ab")
        fcntl.flock(self._file, fcntl.LOCK_EX)  # it is not finished (`Shipping`)
        self._day = day

    def _fresh(self, day: date) -> Path:
        return self.folder / name_of(day, secrets.token_hex(8))

    def _large(self) -> bool:
        return self._file is not None and self._file.tell() >= LARGEST_BYTES
