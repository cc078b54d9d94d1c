"""Artifacts on disk: one joblib file of plain data each, named by its SHA-256.

A file appears under its name complete or not at all: written beside it, flushed to the
disk, then renamed. It is loaded only when its bytes have the digest that the database
keeps, and by a reader that knows plain data only (`app.artifacts.plain`).
"""

import hashlib
import io
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib

from app.artifacts.plain import loads, require_plain
from app.errors import CorruptArtifactError

__all__ = ["ArtifactStore", "StoredArtifact"]

DIGEST = re.compile(r"[0-9a-f]{64}")
SUFFIX = ".joblib"
STAGING = ".staged"


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """What the database keeps of a file: its digest and its size in bytes."""

    sha256: str
    size: int


class ArtifactStore:
    """The artifacts below one folder.

    Parameters
    ----------
    root : Path
        The folder; made when something is first written.
    owner : str
        Who writes: its unfinished files can be told from those of others.
    """

    def __init__(self, root: Path, owner: str = "") -> None:
        self.root, self.owner = Path(root), owner

    def path(self, sha256: str) -> Path:
        """Return where the artifact of this digest is, or would be."""
        if not DIGEST.fullmatch(sha256):
            msg = "an artifact's digest is 64 hexadecimal digits"
            raise ValueError(msg)
        return self.root / f"{sha256}{SUFFIX}"

    def write(self, payload: dict[str, Any]) -> StoredArtifact:
        """Store ``payload`` (mappings, lists, numbers, strings, arrays) for good.

        Raises
        ------
        TypeError
            When it holds anything that is not plain data.
        OSError
            When the disk is full or read-only; nothing is left behind.
        """
        require_plain(payload, "artifact")
        buffer = io.BytesIO()
        joblib.dump(payload, buffer)
        content = buffer.getbuffer()
        sha256 = hashlib.sha256(content).hexdigest()
        self.root.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(f".{self.owner}{STAGING}", "", self.root)
        staged = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            staged.replace(self.path(sha256))
        except BaseException:
            staged.unlink(missing_ok=True)
            raise
        _sync_folder(self.root)
        return StoredArtifact(sha256, len(content))

    def read(self, sha256: str) -> dict[str, Any]:
        """Return the payload of this digest.

        Raises
        ------
        CorruptArtifactError
            When the file is missing, its bytes are not those that were written, or it
            holds anything but plain data.
        """
        path = self.path(sha256)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            msg = f"the file of artifact {sha256[:12]} is missing from the data folder"
            raise CorruptArtifactError(msg) from None
        if hashlib.sha256(content).hexdigest() != sha256:
            msg = (
                f"the file of artifact {sha256[:12]} is not what was written; "
                "it is not loaded: restore it, or train the model again"
            )
            raise CorruptArtifactError(msg)
        try:
            return loads(content)
        except ValueError as error:
            msg = (
                f"the file of artifact {sha256[:12]} holds what no training writes; it"
                " is not loaded: restore it, or train the model again"
            )
            raise CorruptArtifactError(msg) from error

    def delete(self, sha256: str) -> None:
        """Remove the artifact of this digest, if it is there."""
        self.path(sha256).unlink(missing_ok=True)

    def sweep_staged(self, abandoned: Callable[[str], bool]) -> int:
        """Remove the unfinished files of writers that ``abandoned`` says are gone."""
        removed = 0
        for path in self.root.glob(f"*{STAGING}"):
            if abandoned(path.name.removesuffix(STAGING).rpartition(".")[2]):
                path.unlink(missing_ok=True)
                removed += 1
        return removed

    def sweep_orphans(self, known: Callable[[str], bool], older_than_s: float) -> int:
        """Remove finished files that no version names and that are not fresh.

        A training writes its file before its version row; killed between the two, it
        leaves a file that nothing will ever read.
        """
        removed = 0
        for path in self.root.glob(f"*{SUFFIX}"):
            sha256 = path.name.removesuffix(SUFFIX)
            fresh = time.time() - path.stat().st_mtime < older_than_s
            if DIGEST.fullmatch(sha256) and not fresh and not known(sha256):
                path.unlink(missing_ok=True)
                removed += 1
        return removed


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
