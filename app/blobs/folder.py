"""Blobs as the files of one folder.

A file is written beside its place, flushed to the disk, then renamed, and the folder is
flushed as well: it survives a power cut whole, or was never there.
"""

import errno
import hashlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from app.blobs.interface import DamagedBlobError, Found

__all__ = ["STAGING", "FolderBlobs", "digest_of", "sync"]

STAGING = ".staged"


class FolderBlobs:
    """The files of a folder, which is made when something is first written.

    Parameters
    ----------
    root : Path
    owner : str
        Who writes: its unfinished files can be told from those of others.
    """

    def __init__(self, root: Path, owner: str = "") -> None:
        self.root, self.owner = Path(root), owner

    def path(self, name: str) -> Path:
        """Return where a blob is, or would be."""
        return self.root / name

    def put(self, name: str, content: bytes | memoryview) -> None:
        """Write a file beside its place, then rename it."""
        self._stage(name, lambda file: file.write(content))
        sync(self.root)

    def _stage(self, name: str, write: Callable[[BinaryIO], object]) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        handle, staged = tempfile.mkstemp(f".{self.owner}{STAGING}", "", self.root)
        try:
            with os.fdopen(handle, "wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
            Path(staged).replace(self.path(name))
        except BaseException:
            Path(staged).unlink(missing_ok=True)
            raise

    def take(self, name: str, finished: Path) -> None:
        """Rename a finished file, or copy one of another file system."""
        self.root.mkdir(parents=True, exist_ok=True)
        with finished.open("rb") as stream:
            os.fsync(stream.fileno())
            try:
                finished.replace(self.path(name))
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                self._stage(name, lambda file: shutil.copyfileobj(stream, file))
                finished.unlink()
        sync(self.root)

    def claim(self, name: str, content: bytes) -> bool:
        """Link a finished file to its name, which only one can."""
        self.root.mkdir(parents=True, exist_ok=True)
        staged = self.root / f".{uuid.uuid4()}"
        staged.write_bytes(content)
        try:
            os.link(staged, self.path(name))
        except FileExistsError:
            return False
        finally:
            staged.unlink()
        return True

    def read(self, name: str, sha256: str | None = None) -> bytes:
        """Return a file's bytes, checked."""
        content = self.path(name).read_bytes()
        if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256:
            raise DamagedBlobError(name)
        return content

    @contextmanager
    def held(
        self, name: str, sha256: str | None, *, again: bool = False
    ) -> Iterator[Path]:
        """Give the file itself, read once to check it."""
        path = self.path(name)
        if sha256 is not None and not again and digest_of(path) != sha256:
            raise DamagedBlobError(name)
        yield path

    @contextmanager
    def opened(self, name: str) -> Iterator[Any]:
        """Map a file."""
        from pyarrow import memory_map  # noqa: PLC0415 - slow to import

        with memory_map(str(self.path(name))) as file:
            yield file

    def find(self, name: str) -> Found | None:
        """Look at a file."""
        try:
            known = self.path(name).stat()
        except FileNotFoundError:
            return None
        return Found(name, known.st_size, known.st_mtime)

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Look at every file whose name begins so."""
        for path in self.root.glob(f"{prefix}*"):
            blob = self.find(path.name) if path.is_file() else None
            if blob is not None:
                yield blob

    def delete(self, name: str) -> None:
        """Remove a file."""
        self.path(name).unlink(missing_ok=True)

    def sweep_staged(self, abandoned: Callable[[str], bool]) -> int:
        """Remove the unfinished files of those who are gone."""
        removed = 0
        for path in self.root.glob(f"*{STAGING}"):
            if abandoned(path.name.removesuffix(STAGING).rpartition(".")[2]):
                path.unlink(missing_ok=True)
                removed += 1
        return removed


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sync(folder: Path) -> None:
    """Make the rename itself survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
