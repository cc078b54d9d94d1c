"""Files of an object store that were fetched, in a folder of bounded size.

    <folder>/<sha256>     a blob, named by the digest of its bytes
    <folder>/<x>.part     one on its way

What is given out was read and has its digest, each time. Who reads a file holds a
shared lock on it; the one not used for the longest goes first, and none that is read.
Any number of processes may share the folder.
"""

import fcntl
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from app.blobs.interface import DamagedBlobError, StoreAwayError

__all__ = ["Cache", "Fetch"]

Fetch = Callable[[Callable[[bytes], object]], None]
"""Passes a blob on, in parts."""

_PART = ".part"
_ATTEMPTS = 5
_ABANDONED_S = 3600.0


class Cache:
    """A folder of fetched files.

    Parameters
    ----------
    folder : Path
        Made when something is first fetched.
    most_bytes : int
        What its files may have together. One that is larger comes and stays alone.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self.folder, self._most = folder, most_bytes

    @contextmanager
    def held(self, sha256: str, fetch: Fetch) -> Iterator[Path]:
        """Give the file of this digest, fetched where it is not here.

        Raises
        ------
        DamagedBlobError
            When what was fetched has another digest; it is not kept.
        OSError
            When it cannot be fetched, or the disk is full.
        """
        with self._locked(sha256, fetch) as path:
            os.utime(path)
            yield path

    @contextmanager
    def _locked(self, sha256: str, fetch: Fetch) -> Iterator[Path]:
        path = self.folder / sha256
        for _ in range(_ATTEMPTS):
            try:
                file = path.open("rb")
            except FileNotFoundError:
                self._fetch(path, fetch)
                continue
            with file:
                fcntl.flock(file, fcntl.LOCK_SH)
                if not _is_still(path, file):
                    continue  # it was put out meanwhile
                if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
                    path.unlink(missing_ok=True)  # the disk has changed it
                    continue
                yield path
                return
        msg = "the cache's folder does not keep what is written there"
        raise StoreAwayError(msg)

    def forget(self, known: Container[str]) -> int:
        """Remove files that are not among the ``known`` digests and that nobody reads.

        Returns how many there were.
        """
        names = [path for path in self.folder.glob("*") if path.suffix != _PART]
        return sum(_put_out(path) for path in names if path.name not in known)

    def _fetch(self, path: Path, fetch: Fetch) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        handle, name = tempfile.mkstemp(_PART, "", self.folder)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:

                def write(content: bytes) -> None:
                    digest.update(content)
                    file.write(content)

                fetch(write)
            if digest.hexdigest() != path.name:
                raise DamagedBlobError(path.name)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
        self._make_room(path)

    def _make_room(self, newest: Path) -> None:
        """Put out what was not used for the longest, until the rest has its room."""
        files = []
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):
                known = path.stat()
                files.append((known.st_mtime, known.st_size, path))
        held = sum(size for _, size, _ in files)
        for used_s, size, path in sorted(files):
            if path.suffix == _PART:
                gone = time.time() - used_s > _ABANDONED_S
                if gone:
                    path.unlink(missing_ok=True)
            else:
                gone = held > self._most and path != newest and _put_out(path)
            held -= size if gone else 0


def _put_out(path: Path) -> bool:
    """Remove a file that nobody reads; tell whether it is gone."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True


def _is_still(path: Path, file: BinaryIO) -> bool:
    """Tell whether an open file is the one of its name."""
    try:
        return path.stat().st_ino == os.fstat(file.fileno()).st_ino
    except FileNotFoundError:
        return False
