"""Data sets in the store: one Parquet file each, named by its id and its SHA-256.

    <id>.<sha256>.parquet             complete (`app.blobs`)
    <root>/incoming/<token>/...       an upload on its way, on this machine; gone when
                                      its request ends, locked until then: what is not
                                      was left by a kill

Each data set has a file of its own, also where two hold the same rows: deleting one can
then never take the rows of another. A file is read only when its bytes have the digest
that the database keeps.
"""

import fcntl
import re
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from app.blobs.folder import digest_of
from app.blobs.interface import DamagedBlobError, Place
from app.blobs.opening import local_folder, open_blobs
from app.datasets.errors import CorruptDatasetError
from app.datasets.tables import as_table
from app.features.table import Table

__all__ = ["DatasetFile", "DatasetStore"]

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
    """The data sets of one place.

    Parameters
    ----------
    place : Path or Remote
        A folder is made when the first data set comes.
    """

    def __init__(self, place: Place) -> None:
        self.place, self.blobs = place, open_blobs(place)
        self.root = local_folder(place, "datasets")

    def find(self, dataset_id: str) -> DatasetFile:
        """Return which file a data set is, by its id alone.

        Raises
        ------
        CorruptDatasetError
            When there is none.
        """
        for file in self.blobs.list(f"{dataset_id}."):
            parts = _NAME.fullmatch(file.name)
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
        file = DatasetFile(dataset_id, digest_of(staged))
        self.blobs.take(file.name, staged)
        return file

    @contextmanager
    def checked(self, file: DatasetFile) -> Iterator[Path]:
        """Give a local file of a data set whose bytes are those that were written.

        Raises
        ------
        CorruptDatasetError
            When they are not, or the file is missing.
        """
        with ExitStack() as held:
            try:
                yielded = held.enter_context(self.blobs.held(file.name, file.sha256))
            except FileNotFoundError:
                raise CorruptDatasetError(_MISSING) from None
            except DamagedBlobError:
                msg = (
                    "the file of this data set is not what was written; it is not read:"
                    " restore it, or upload the data again"
                )
                raise CorruptDatasetError(msg) from None
            yield yielded

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
        wanted = None if columns is None else list(columns)
        with self.checked(file) as path:
            return as_table(pq.read_table(path, columns=wanted, use_threads=False))

    def read_beside(self, file: DatasetFile, columns: Sequence[str]) -> Iterator[Table]:
        """Return each column but these, one by one: a table that was read before."""
        with self.blobs.held(file.name, file.sha256, again=True) as path:
            for name in pq.read_schema(path).names:
                if name not in columns:
                    read = pq.read_table(path, columns=[name], use_threads=False)
                    yield as_table(read)

    def delete(self, file: DatasetFile) -> None:
        """Remove the rows of a data set, if they are there."""
        self.blobs.delete(file.name)

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
        for file in self.blobs.list():
            parts, age_s = _NAME.fullmatch(file.name), time.time() - file.written_s
            if parts and age_s > older_than_s and not known(parts["id"]):
                self.blobs.delete(file.name)
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
