"""One file that holds everything, taken while the service runs.

The database is copied at one moment (SQLite's online backup). What it names never
changes once written, so copying it afterwards is as good; should a data set be deleted
meanwhile, all begins anew. Every file is checked against the database's digest on its
way. The archive appears under its name complete and flushed, or not at all.
"""

import errno
import io
import os
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from importlib.metadata import version
from pathlib import Path

from app.blobs.interface import DamagedBlobError
from app.blobs.opening import open_blobs
from app.db import migrate
from app.db.base import utc_now
from app.db.session import open_database
from app.operations.archive import (
    DATABASE,
    MANIFEST,
    Entry,
    Manifest,
    OperationError,
    add,
    copy,
    named_files,
)
from app.operations.embedded import database_file
from app.settings import Settings

__all__ = ["backup"]

MOST_TRIES = 3


def backup(settings: Settings, target: Path) -> Manifest:
    """Write an archive of everything the service has to ``target``.

    Raises
    ------
    OperationError
        When the database is not the embedded one, a file is missing or damaged, or
        ``target`` exists; nothing is left behind.
    OSError
        When the archive cannot be written; nothing is left behind.
    """
    database = database_file(settings)
    _require_present(settings, database)
    if target.exists():
        msg = f"{target} exists already: name another file"
        raise OperationError(msg)
    missing = ""
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as folder:
        for _ in range(MOST_TRIES):
            try:
                manifest = _write(settings, database, Path(folder))
            except FileNotFoundError as error:
                missing = Path(str(error.filename)).name
                continue
            (Path(folder) / "archive").replace(target)
            return manifest
    msg = f"the file {missing} that the database names is missing from the data folder"
    raise OperationError(msg)


def _require_present(settings: Settings, database: Path) -> None:
    if not database.exists():
        msg = f"there is nothing to back up: {database} does not exist"
        raise OperationError(msg)
    opened = open_database(settings.database)
    try:
        fault = migrate.fault(opened)
    finally:
        opened.close()
    if fault is not None:
        raise OperationError(fault)


def _write(settings: Settings, database: Path, folder: Path) -> Manifest:
    snapshot = folder / DATABASE
    _take_snapshot(database, snapshot)
    files = [_measured(DATABASE, snapshot)]
    for name, sha256 in named_files(snapshot):
        files.append(Entry(name, _size(settings, name), sha256))
    (folder / "archive").unlink(missing_ok=True)
    manifest = Manifest(version("demur"), utc_now().isoformat(), files)
    with open(folder / "archive", "xb", opener=_private) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
            content = manifest.encoded()
            add(tar, MANIFEST, io.BytesIO(content), len(content))
            _append(tar, files[0], snapshot)
            for entry in files[1:]:
                with _held(settings, entry) as path:
                    _append(tar, entry, path)
        stream.flush()
        os.fsync(stream.fileno())
    return manifest


def _size(settings: Settings, name: str) -> int:
    folder, _, file = name.partition("/")
    stored = open_blobs(settings.place / folder).find(file)
    if stored is None:
        raise _missing(file)
    return stored.size


@contextmanager
def _held(settings: Settings, entry: Entry) -> Iterator[Path]:
    """Give a file of the store; what is read of it is checked where it is added."""
    folder, _, name = entry.name.partition("/")
    blobs = open_blobs(settings.place / folder)
    with ExitStack() as stack:
        try:
            path = stack.enter_context(blobs.held(name, entry.sha256, again=True))
        except FileNotFoundError:
            raise _missing(name) from None
        except DamagedBlobError:
            msg = f"the file {name} is damaged: it is not what was written"
            raise OperationError(msg) from None
        yield path


def _missing(name: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


def _append(archive: tarfile.TarFile, entry: Entry, path: Path) -> None:
    """Add a file; what was read is what the manifest says, or it is no backup."""
    with path.open("rb") as source:
        digest = copy(source, lambda _: None)
        if digest != (entry.size, entry.sha256):
            msg = f"the file {path.name} is damaged: it is not what was written"
            raise OperationError(msg)
        source.seek(0)
        add(archive, entry.name, source, entry.size)


def _take_snapshot(database: Path, snapshot: Path) -> None:
    """Copy the database as it is at one moment into a single file."""
    snapshot.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(database, timeout=20)) as source,
        closing(sqlite3.connect(snapshot)) as copied,
    ):
        source.backup(copied)
        copied.execute("PRAGMA journal_mode = DELETE")


def _measured(name: str, path: Path) -> Entry:
    with path.open("rb") as source:
        return Entry(name, *copy(source, lambda _: None))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
