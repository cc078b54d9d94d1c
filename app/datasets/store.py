"""Data sets on disk: one Parquet file each, named by its id and its SHA-256.

    <root>/<id>.<sha256>.parquet      complete, flushed, renamed into place
    <root>/incoming/<token>/...       an upload on its way; gone when its request ends,
                                      locked until then: what is not was left by a kill

Each data set has a file of its own, also where two hold the same rows: deleting one can
then never take the rows of another. A file is read only when its bytes have the digest
that the database keeps.
"""

import fcntl
import hashlib
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from app.datasets.errors import CorruptDatasetError
from app.datasets.tables import as_table
from app.features.table import Table

__all__ = ["DatasetFile", "DatasetStore", "digest_of"]

_NAME = re.compile(r"(?P<id>[0-9a-f-]{36})\.(?P<sha256>[0-9a-f]{64})\.parquet")
_INCOMING = "incoming"
_HELD = "held"
_BEGUN_S = 10.0
"""A folder this young may not be locked yet."""
_MISSING = "the file of this data set is missing from the data folder"


@dataclass(frozen=True, slots=True)
class DatasetFile:
    """Which file a data set is."""

    id: str
    sha256: str

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            msg = "a data set has an id of 36 characters and a digest of 64"
            raise ValueError(msg)

    @property
    def name(self) -> str:
        """The file's name."""
        return f"{self.id}.{self.sha256}.parquet"


class DatasetStore:
    """The data sets below one folder, which is made when the first one comes."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def path(self, file: DatasetFile) -> Path:
        """Return where a data set is, or would be."""
        return self.root / file.name

    def find(self, dataset_id: str) -> DatasetFile:
        """Return which file a data set is, by its id alone.

        Raises
        ------
        CorruptDatasetError
            When there is none.
        """
        for path in self.root.glob(f"{dataset_id}.*.parquet"):
            parts = _NAME.fullmatch(path.name)
            if parts:
                return DatasetFile(parts["id"], parts["sha256"])
        raise CorruptDatasetError(_MISSING)

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """Give a folder for one upload; whatever is in it goes at the end."""
        folder = self.root / _INCOMING / uuid.uuid4().hex
        folder.mkdir(parents=True)
        with (folder / _HELD).open("wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def keep(self, staged: Path, dataset_id: str) -> DatasetFile:
        """Move a finished Parquet file to its place, for good."""
        sha256 = digest_of(staged)
        with staged.open("rb") as stream:
            os.fsync(stream.fileno())
        file = DatasetFile(dataset_id, sha256)
        staged.replace(self.path(file))
        _sync_folder(self.root)
        return file

    def checked(self, file: DatasetFile) -> Path:
        """Return the path of a data set whose bytes are those that were written.

        Raises
        ------
        CorruptDatasetError
            When they are not, or the file is missing.
        """
        path = self.path(file)
        try:
            found = digest_of(path)
        except FileNotFoundError:
            raise CorruptDatasetError(_MISSING) from None
        if found != file.sha256:
            msg = (
                "the file of this data set is not what was written; it is not read:"
                " restore it, or upload the data again"
            )
            raise CorruptDatasetError(msg)
        return path

    def read_table(
        self, file: DatasetFile, columns: Sequence[str] | None = None
    ) -> Table:
        """Return a data set in memory, as training takes it.

        Parameters
        ----------
        file : DatasetFile
        columns : sequence of str, optional
            Only these; all when left out.

        Raises
        ------
        CorruptDatasetError
            When the file is missing or not what was written.
        """
        path = self.checked(file)
        wanted = None if columns is None else list(columns)
        return as_table(pq.read_table(path, columns=wanted, use_threads=False))

    def read_beside(self, file: DatasetFile, columns: Sequence[str]) -> Iterator[Table]:
        """Return each column but these, one by one: a table that was read before."""
        path = self.path(file)
        for name in pq.read_schema(path).names:
            if name not in columns:
                yield as_table(pq.read_table(path, columns=[name], use_threads=False))

    def delete(self, file: DatasetFile) -> None:
        """Remove the rows of a data set, if they are there."""
        self.path(file).unlink(missing_ok=True)

    def sweep(self, known: Callable[[str], bool], older_than_s: float) -> int:
        """Remove what processes that were killed have left.

        Parameters
        ----------
        known : callable
            Whether the database has a data set of this id.
        older_than_s : float
            Younger files may be on their way into the database.
        """
        removed = 0
        for path in self.root.glob("*.parquet"):
            parts = _NAME.fullmatch(path.name)
            if parts and _age_s(path) > older_than_s and not known(parts["id"]):
                path.unlink(missing_ok=True)
                removed += 1
        for folder in (self.root / _INCOMING).glob("*"):
            if _is_left(folder, min(older_than_s, _BEGUN_S)):
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
        return removed


def _age_s(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _is_left(folder: Path, begun_s: float) -> bool:
    """Tell whether the process is gone that had a folder for an upload."""
    if _age_s(folder) <= begun_s:
        return False
    try:
        with (folder / _HELD).open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True


def _sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
