"""A job of many rows becomes parts: its files are listed, and cut at row groups.

Nothing is read but names, sizes and the ends of Parquet files. What a file was like is
kept with each part, which refuses one that has changed.
"""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pyarrow.parquet as pq

from app.blobs.interface import Found
from app.blobs.opening import open_blobs
from app.datasets.reading.faults import readable
from app.datasets.store import DatasetStore
from app.errors import ConflictError, InvalidRequestError
from app.score.places import FORMS, place_at, source_of, usable
from app.score.schemas import Shard, Source, Stored
from app.settings import Settings
from solvers.errors import Interrupted

__all__ = ["MOST_PARTS", "plan"]

MOST_PARTS = 100_000


def plan(
    settings: Settings, source: Source, progress: Callable[[float, str], bool]
) -> list[Shard]:
    """Return the parts of a job, in order.

    Raises
    ------
    InvalidRequestError
        When there is nothing to read, or a file is none.
    ConflictError
        When the target holds something already.
    StoreAwayError
        When a store does not answer.
    Interrupted
        When the job is cancelled meanwhile.
    """
    target = place_at(settings, source.target)
    if isinstance(target, Path) and target.exists() and not target.is_dir():
        msg = "the target is a file: name an empty folder"
        raise ConflictError(msg)
    with usable("the target"):
        held = next(open_blobs(target).list(), None)
    if held is not None:
        msg = "the target holds files already: name an empty folder"
        raise ConflictError(msg)
    numbers = count()
    shards: list[Shard] = []
    with usable("the source"):
        files = _files(settings, source)
    for place, file in enumerate(files):
        if not progress(place / len(files), f"looking at {file.name}"):
            raise Interrupted
        for groups, rows in _cuts(settings, source, file):
            shards.append(Shard(next(numbers), file, groups, rows))
            if len(shards) > MOST_PARTS:
                msg = f"a job has {MOST_PARTS} parts at most: ask for larger ones"
                raise InvalidRequestError(msg)
    if not shards:
        msg = "the source has no rows: no Parquet or CSV file with any is there"
        raise InvalidRequestError(msg)
    return shards


def _files(settings: Settings, source: Source) -> list[Stored]:
    if source.dataset is not None:
        store = DatasetStore(settings.datasets_dir)
        kept = store.find(source.dataset)
        table_file = store.blobs.find(kept.name)
        return [] if table_file is None else [_stored(table_file, kept.sha256)]
    blobs, named = source_of(settings, source)
    every = [
        _stored(table_file)
        for table_file in blobs.list(named or "")
        if table_file.name.lower().endswith(FORMS) and named in {None, table_file.name}
    ]
    return sorted(every, key=lambda file: file.name)


def _stored(file: Found, sha256: str | None = None) -> Stored:
    return Stored(file.name, file.size, file.written_s, sha256)


def _cuts(
    settings: Settings, source: Source, file: Stored
) -> Iterator[tuple[list[int] | None, int | None]]:
    """Yield runs of row groups with about as many rows as a part should have."""
    if file.name.lower().endswith(".csv"):
        yield None, None
        return
    blobs, _ = source_of(settings, source)
    with blobs.opened(file.name) as opened, readable("Parquet file"):
        metadata = pq.ParquetFile(opened).metadata
        sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    groups: list[int] = []
    rows = 0
    for number, size in enumerate(sizes):
        if groups and rows + size > source.part_rows:
            yield groups, rows
            groups, rows = [], 0
        groups.append(number)
        rows += size
    if rows:
        yield groups, rows
