"""The archive of a backup: a tar file whose first member tells what else is in it.

    manifest.json                     each file with its size and SHA-256
    demur.sqlite3                     the database as it was at one moment
    artifacts/<sha256>.joblib         the models that its versions name
    datasets/<id>.<sha256>.parquet    the data sets that it names

The prediction log is not in it: it has a time of its own after which it is gone.
Digests find damage, not malice: a model of an archive runs nothing, but it decides, so
one restores only from whom one trusts with the decisions.
"""

import hashlib
import re
import sqlite3
import tarfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO, Literal

import msgspec

__all__ = [
    "DATABASE",
    "MANIFEST",
    "Entry",
    "Manifest",
    "OperationError",
    "add",
    "copy",
    "named_files",
    "read_manifest",
]


class OperationError(Exception):
    """Nothing was changed, and this is why, in one line for an operator."""


MANIFEST, DATABASE = "manifest.json", "demur.sqlite3"
NAME = re.compile(
    r"demur\.sqlite3|artifacts/[0-9a-f]{64}\.joblib"
    r"|datasets/[0-9a-f-]{36}\.[0-9a-f]{64}\.parquet"
)
LONGEST_MANIFEST = 512 * 2**20
BLOCK = 1 << 20


class Entry(msgspec.Struct, frozen=True):
    """One file of an archive."""

    name: str
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    """What an archive holds, and which version of the program made it."""

    demur: str
    made_at: str
    files: list[Entry]
    format: Literal[1] = 1

    def encoded(self) -> bytes:
        """Return it as JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1)


def named_files(database: Path) -> list[tuple[str, str]]:
    """Return name and digest of every file that a database needs beside it."""
    with closing(sqlite3.connect(database)) as connection:
        models = connection.execute(
            "SELECT DISTINCT artifact_sha256 FROM model_versions ORDER BY 1"
        ).fetchall()
        datasets = connection.execute(
            "SELECT id, stored_sha256 FROM datasets ORDER BY 1"
        ).fetchall()
    return [
        *((f"artifacts/{sha256}.joblib", sha256) for (sha256,) in models),
        *((f"datasets/{id_}.{sha256}.parquet", sha256) for id_, sha256 in datasets),
    ]


def add(archive: tarfile.TarFile, name: str, source: IO[bytes], size: int) -> None:
    """Append a member, readable by its owner alone."""
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, int(time.time())
    archive.addfile(member, source)


def read_manifest(archive: tarfile.TarFile) -> Manifest:
    """Return what an archive says it holds.

    Raises
    ------
    OperationError
        When it is none of ours, or of a later format.
    """
    first = archive.next()
    if first is None or first.name != MANIFEST or first.size > LONGEST_MANIFEST:
        msg = "this is no archive of demur backup"
        raise OperationError(msg)
    source = archive.extractfile(first)
    try:
        if source is None:
            msg = "the manifest is no file"
            raise msgspec.ValidationError(msg)
        manifest = msgspec.json.decode(source.read(), type=Manifest)
    except msgspec.MsgspecError:
        msg = "the archive's manifest cannot be read: damaged, or of a later version"
        raise OperationError(msg) from None
    names = [entry.name for entry in manifest.files]
    if DATABASE not in names or len(set(names)) < len(names):
        msg = "the archive's manifest names no database, or a file twice"
        raise OperationError(msg)
    if not all(NAME.fullmatch(name) for name in names):
        msg = "the archive's manifest names a file that no backup holds"
        raise OperationError(msg)
    return manifest


def copy(source: IO[bytes], write: Callable[[bytes], object]) -> tuple[int, str]:
    """Pass everything on to ``write``; return its size and SHA-256."""
    digest, size = hashlib.sha256(), 0
    while block := source.read(BLOCK):
        digest.update(block)
        size += len(block)
        write(block)
    return size, digest.hexdigest()
