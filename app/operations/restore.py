"""An archive becomes the service's data again: all of it, or nothing.

Everything is unpacked beside its place and checked there: digests, SQLite's own
integrity, that every named file is present, that models are plain data, and that this
version knows the tables.
Then the files move to their places (they are named by their digests, so more of them do
no harm), and the database last, by one rename: until then all is as it was before.
"""

import os
import shutil
import sqlite3
import tarfile
import uuid
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import IO

from sqlalchemy.exc import DatabaseError

from app.artifacts.store import ArtifactStore
from app.blobs.folder import sync
from app.blobs.interface import Place
from app.blobs.opening import open_blobs
from app.db import migrate
from app.db.session import open_database
from app.errors import CorruptArtifactError
from app.operations.archive import (
    DATABASE,
    Entry,
    Manifest,
    OperationError,
    copy,
    named_files,
    read_manifest,
)
from app.operations.embedded import database_file, retire
from app.settings import Settings

__all__ = ["restore"]

STAGING = ".restore-"
REBUILT = "compiled"  # holds nothing that cannot be made again
FOLDERS = ("artifacts", "datasets")


def restore(settings: Settings, source: Path, *, force: bool = False) -> Manifest:
    """Put what ``source`` holds in the place of the service's data.

    Parameters
    ----------
    settings : Settings
    source : Path
        An archive of ``backup``.
    force : bool
        Replace what the data folder holds now; otherwise it must be empty.

    Raises
    ------
    OperationError
        When the archive is damaged or of a later version, the data folder is not
        empty, or the service runs; the data are then as they were.
    OSError
        When the disk is full or read-only; the data are then as they were.
    """
    database = database_file(settings)
    _require_empty(settings, database, force=force)
    token = uuid.uuid4().hex
    staging = settings.data_dir / f"{STAGING}{token}"
    staged = database.with_name(f"{STAGING}{token}.sqlite3")
    try:
        staging.mkdir()
        manifest = _unpack(source, staging, staged)
        _check_database(staged, manifest)
        _check_models(staged, ArtifactStore(staging / "artifacts"))
        retire(database)
        _move_files(manifest, staging, settings.place)
        staged.replace(database)
        sync(database.parent)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        staged.unlink(missing_ok=True)
    _remove_others(manifest, settings.place)
    return manifest


def _require_empty(settings: Settings, database: Path, *, force: bool) -> None:
    """Clear what a killed restore has left; refuse to touch anything else."""
    for path in settings.data_dir.glob(f"{STAGING}*"):
        shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
    held = [path for path in settings.data_dir.iterdir() if path.name != REBUILT]
    if (held or database.exists()) and not force:
        msg = (
            f"the data folder {settings.data_dir} is not empty: "
            "--force replaces what it holds"
        )
        raise OperationError(msg)
    stored = (open_blobs(settings.place / name).list() for name in FOLDERS)
    if not force and any(True for _ in chain.from_iterable(stored)):
        msg = "the store is not empty: --force replaces what it holds"
        raise OperationError(msg)
    if force:
        retire(database)


def _unpack(source: Path, staging: Path, staged: Path) -> Manifest:
    try:
        with tarfile.open(source, "r:") as archive:
            manifest = read_manifest(archive)
            wanted = {entry.name: entry for entry in manifest.files}
            while (member := archive.next()) is not None:
                entry = wanted.pop(member.name, None)
                content = archive.extractfile(member) if member.isreg() else None
                if entry is None or content is None:
                    msg = "the archive holds what its manifest does not name"
                    raise OperationError(msg)
                target = staged if entry.name == DATABASE else staging / entry.name
                _write(content, entry, target)
    except tarfile.TarError:
        msg = "the archive cannot be read: it is damaged, or none of demur backup"
        raise OperationError(msg) from None
    if wanted:
        msg = f"the archive is cut off: {len(wanted)} files are missing"
        raise OperationError(msg)
    return manifest


def _write(content: IO[bytes], entry: Entry, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    with target.open("xb") as file:
        digest = copy(content, file.write)
        file.flush()
        os.fsync(file.fileno())
    if digest != (entry.size, entry.sha256):
        msg = f"the archive is damaged: {entry.name} is not what was backed up"
        raise OperationError(msg)


def _check_database(staged: Path, manifest: Manifest) -> None:
    """Check the staged database whole, and bring it to the tables of this version."""
    opened = open_database(f"sqlite:///{staged}")
    try:
        migrate.upgrade(opened)
    except migrate.LaterVersionError:
        msg = (
            f"the archive was made by version {manifest.demur}, whose tables this "
            "version does not know: restore it with that one or a later one"
        )
        raise OperationError(msg) from None
    except DatabaseError:
        msg = "the archive's database is damaged"
        raise OperationError(msg) from None
    finally:
        opened.close()
    retire(staged)
    with closing(sqlite3.connect(staged)) as connection, connection:
        connection.execute("DELETE FROM store_token")  # it may come to another store
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        loose = connection.execute("PRAGMA foreign_key_check").fetchone()
    if not sound or loose is not None:
        msg = "the archive's database is damaged"
        raise OperationError(msg)
    present = {(entry.name, entry.sha256) for entry in manifest.files}
    if not present.issuperset(named_files(staged)):
        msg = "the archive lacks files that its database names"
        raise OperationError(msg)


def _check_models(staged: Path, artifacts: ArtifactStore) -> None:
    for name, sha256 in named_files(staged):
        if name.startswith("artifacts/"):
            try:
                artifacts.read(sha256)
            except CorruptArtifactError:
                msg = f"the archive's {name} holds what no training writes"
                raise OperationError(msg) from None


def _move_files(manifest: Manifest, staging: Path, place: Place) -> None:
    for name in FOLDERS:
        below = place / name
        if isinstance(below, Path):
            below.mkdir(parents=True, exist_ok=True)
    for entry in manifest.files:
        if entry.name != DATABASE:
            folder, _, name = entry.name.partition("/")
            open_blobs(place / folder).take(name, staging / entry.name)


def _remove_others(manifest: Manifest, place: Place) -> None:
    """Remove the files of what was replaced."""
    kept = {entry.name for entry in manifest.files}
    for name in FOLDERS:
        blobs = open_blobs(place / name)
        for file in list(blobs.list()):
            if f"{name}/{file.name}" not in kept:
                blobs.delete(file.name)
