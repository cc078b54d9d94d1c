"""Artifacts in the store: one joblib file of plain data each, named by its SHA-256.

A file appears under its name complete or not at all (`app.blobs`). It is loaded only
when its bytes have the digest that the database keeps, and by a reader that knows plain
data only (`app.artifacts.plain`).
"""

import hashlib
import io
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import joblib

from app.artifacts.plain import loads, require_plain
from app.blobs.interface import DamagedBlobError, Found, Place
from app.blobs.opening import open_blobs
from app.errors import CorruptArtifactError

__all__ = ["ArtifactStore", "StoredArtifact"]

DIGEST = re.compile(r"[0-9a-f]{64}")
SUFFIX = ".joblib"


@dataclass(frozen=True, slots=True)
class StoredArtifact:
    """What the database keeps of a file: its digest and its size in bytes."""

    sha256: str
    size: int


class ArtifactStore:
    """The artifacts of one place.

    Parameters
    ----------
    place : Path or Remote
        A folder is made when something is first written.
    owner : str
        Who writes: its unfinished files can be told from those of others.
    """

    def __init__(self, place: Place, owner: str = "") -> None:
        self.place, self.blobs = place, open_blobs(place, owner)

    def find(self, sha256: str) -> Found | None:
        """Return what is known of the artifact of this digest; None if it is away."""
        return self.blobs.find(_name(sha256))

    def write(self, payload: dict[str, Any]) -> StoredArtifact:
        """Store ``payload`` (mappings, lists, numbers, strings, arrays) for good.

        Raises
        ------
        TypeError
            When it holds anything that is not plain data.
        OSError
            When the disk is full or read-only, or the store does not answer; nothing
            is left behind.
        """
        require_plain(payload, "artifact")
        buffer = io.BytesIO()
        joblib.dump(payload, buffer)
        content = buffer.getbuffer()
        sha256 = hashlib.sha256(content).hexdigest()
        self.blobs.put(_name(sha256), content)
        return StoredArtifact(sha256, len(content))

    def read(self, sha256: str) -> dict[str, Any]:
        """Return the payload of this digest.

        Raises
        ------
        CorruptArtifactError
            When the file is missing, its bytes are not those that were written, or it
            holds anything but plain data.
        """
        try:
            content = self.blobs.read(_name(sha256), sha256)
        except FileNotFoundError:
            msg = f"the file of artifact {sha256[:12]} is missing from the data folder"
            raise CorruptArtifactError(msg) from None
        except DamagedBlobError:
            msg = (
                f"the file of artifact {sha256[:12]} is not what was written; "
                "it is not loaded: restore it, or train the model again"
            )
            raise CorruptArtifactError(msg) from None
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
        self.blobs.delete(_name(sha256))

    def sweep_staged(self, abandoned: Callable[[str], bool]) -> int:
        """Remove the unfinished files of writers that ``abandoned`` says are gone."""
        return self.blobs.sweep_staged(abandoned)

    def sweep_orphans(self, known: Callable[[str], bool], older_than_s: float) -> int:
        """Remove finished files that no version names and that are not fresh.

        A training writes its file before its version row; killed between the two, it
        leaves a file that nothing will ever read.
        """
        removed = 0
        for file in self.blobs.list():
            sha256 = file.name.removesuffix(SUFFIX)
            fresh = time.time() - file.written_s < older_than_s
            if DIGEST.fullmatch(sha256) and not fresh and not known(sha256):
                self.blobs.delete(file.name)
                removed += 1
        return removed


def _name(sha256: str) -> str:
    """Return the name of the artifact of this digest."""
    if not DIGEST.fullmatch(sha256):
        msg = "an artifact's digest is 64 hexadecimal digits"
        raise ValueError(msg)
    return f"{sha256}{SUFFIX}"
