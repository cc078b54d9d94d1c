"""One part of a job: its rows are read where they lie, decided, and written once.

The part is written on this machine first, then taken to its place whole. A second
attempt at it (its worker died, or was taken for dead) makes the same bytes of the same
rows; where they are there already they stay. Cases of rejected rows are opened before
the part is there: what is known of a part is known of its cases.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from app.artifacts.store import ArtifactStore
from app.batch.answering import Answering
from app.batch.cases import JobPart, Overtaken
from app.batch.columnar import answer_rows
from app.batch.csv import CsvBatch
from app.batch.job import answer_csv
from app.blobs.folder import digest_of
from app.blobs.interface import Blobs
from app.blobs.opening import open_blobs
from app.datasets.options import limits_of
from app.datasets.reading.beginnings import check_beginning
from app.datasets.reading.columnar import ParquetFile
from app.datasets.reading.options import ReadOptions
from app.datasets.store import DatasetFile, DatasetStore
from app.db.session import open_database
from app.errors import ConflictError, ServiceUnavailableError
from app.models.queries import ResolvedVersion, resolve
from app.predict.answer import Tally
from app.predict.decided import Decided
from app.predict.ready_model import ReadyModel
from app.predict.rows import Rows
from app.score.places import place_at, source_of, usable
from app.score.schemas import Shard, Source, Stored
from app.settings import Settings
from solvers.errors import Interrupted

__all__ = ["decide"]

Progress = Callable[[float, str], bool]
_ATTEMPTS, _THREADS = 3, 4


def decide(settings: Settings, source: Source, progress: Progress) -> dict[str, Any]:
    """Write one part; return what is known of it.

    Raises
    ------
    InvalidRequestError
        When a row or column is not acceptable.
    ConflictError
        When the file is not what it was when the job was planned, or reviews were
        switched off since then.
    CorruptArtifactError
        When the model is gone, or not what was written.
    StoreAwayError
        When a store does not answer.
    Interrupted
        When the job is cancelled meanwhile.
    """
    shard = source.shard
    assert shard is not None  # noqa: S101 - a part is one
    payload = ArtifactStore(settings.artifacts_dir).read(source.sha256)
    answering = _Telling(ReadyModel(payload), source, shard.rows, progress)
    with DatasetStore(settings.datasets_dir).staging() as folder:
        made = folder / "part"
        if source.review:
            tally = _with_cases(settings, source, shard, answering, made)
        else:
            tally = _written(settings, source, shard, answering, made)
        sha256, size = digest_of(made), made.stat().st_size
        with usable("the target"):
            blobs = open_blobs(place_at(settings, source.target))
            if not _is_there(blobs, shard.part, size, sha256):
                blobs.take(shard.part, made)
    return {
        "part": shard.part,
        "rows": tally.rows,
        "rejected": tally.rejected,
        "bytes": size,
        "sha256": sha256,
        "source": shard.file.name,
        "row_groups": shard.groups,
    }


class _Telling(Answering):
    """Answers, tells how far it is, and stops when it is asked to."""

    def __init__(
        self, ready: ReadyModel, source: Source, rows: int | None, progress: Progress
    ) -> None:
        version = ResolvedVersion(source.model, source.version, source.sha256)
        super().__init__(ready, version, reference=source.reference)
        self._rows, self._done, self._progress = rows, 0, progress

    def decide(self, rows: Rows, first_row: int) -> Decided:
        """Return the decisions on rows."""
        decided = super().decide(rows, first_row)
        self._done += len(decided.decisions)
        share = self._done / self._rows if self._rows else 0.0
        if not self._progress(min(share, 1.0), f"{self._done} rows"):
            raise Interrupted
        return decided


def _is_there(blobs: Blobs, part: str, size: int, sha256: str) -> bool:
    """Tell whether a part is written already, by its bytes."""
    file = blobs.find(part)
    if file is None or file.size != size:
        return False
    with blobs.held(part, None) as path:
        return digest_of(path) == sha256


def _with_cases(
    settings: Settings, source: Source, shard: Shard, answering: _Telling, made: Path
) -> Tally:
    """Write a part, and open the cases that it names."""
    with closing(open_database(settings.database, pool_size=_THREADS)) as database:
        with database.read() as session:
            version = resolve(session, source.model)
        if version is None or version.review is None:
            msg = "reviews of this model were switched off after the job was queued"
            raise ConflictError(msg)
        part = JobPart(source.job or "", shard.stem)
        for _ in range(_ATTEMPTS):
            spool = made.with_suffix(".cases")
            cases = answering.open_cases(version.review, database, spool, part)
            tally = _written(settings, source, shard, answering, made)
            with suppress(Overtaken):
                cases.store()
                return tally
    msg = "cases of the same references are being opened all the time; try again"
    raise ServiceUnavailableError(msg)


def _written(
    settings: Settings, source: Source, shard: Shard, answering: Answering, made: Path
) -> Tally:
    limits, options = limits_of(settings), ReadOptions()
    with (
        _unchanged(settings, source, shard.file) as blobs,
        tempfile.TemporaryFile() as log,
    ):
        if shard.groups is None:
            with blobs.held(shard.file.name, shard.file.sha256) as path:
                check_beginning(path, "csv")
                batch = CsvBatch(answering, options, limits)
                with path.open("rb") as rows, made.open("wb") as target:
                    return answer_csv(batch, rows, target)
        with _opened(blobs, settings, source, shard.file) as opened:
            file = ParquetFile(opened, limits, shard.groups)
            return answer_rows(answering, file, made, log, options, limits)


@contextmanager
def _unchanged(settings: Settings, source: Source, file: Stored) -> Iterator[Blobs]:
    """Give the blobs of a file; it is the same before and after it was read."""
    blobs, _ = source_of(settings, source)
    if source.dataset is not None:  # named by its digest
        yield blobs
        return
    _require_unchanged(blobs, file)
    yield blobs
    _require_unchanged(blobs, file)


def _require_unchanged(blobs: Blobs, file: Stored) -> None:
    present = blobs.find(file.name)
    now = None if present is None else (present.size, present.written_s)
    if now != (file.size, file.written_s):
        msg = f"{file.name} has changed since the job was planned"
        raise ConflictError(msg)


@contextmanager
def _opened(
    blobs: Blobs, settings: Settings, source: Source, file: Stored
) -> Iterator[Any]:
    if source.dataset is None or file.sha256 is None:
        with blobs.opened(file.name) as opened:
            yield opened
        return
    store = DatasetStore(settings.datasets_dir)
    with store.checked(DatasetFile(source.dataset, file.sha256)) as path:
        yield path
