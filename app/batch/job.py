"""What the process beside the server does with a batch: a file in, a file out.

    blocks (in order) -> answers (in several threads) -> file (in order)

At most ``IN_FLIGHT`` blocks of CSV are in memory, whatever the size of the file. The
answer is sent when it is whole: a fault in the last line is then still an answer of its
own, and a client that sends everything before it reads anything waits for nobody.
"""

import io
import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

from app.artifacts.loaded import LoadedModels
from app.artifacts.store import ArtifactStore
from app.batch.answering import Answering
from app.batch.cases import Overtaken
from app.batch.columnar import answer_columnar
from app.batch.csv import CsvBatch, Records
from app.batch.ordered import in_order
from app.blobs.interface import Place
from app.datasets.reading.beginnings import check_beginning
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import Format, ReadOptions
from app.db.session import Database, open_database
from app.errors import ServiceUnavailableError
from app.journal.entries import Stamp
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally
from app.predict.envelope import Costs
from app.predict.ready_model import ReadyModel
from app.web.failures import FAILURES, translate

__all__ = ["BatchJob", "answer_csv", "answer_file"]

log = logging.getLogger(__name__)

IN_FLIGHT = 4
_CHUNK_BYTES = 1 << 20
_MODELS = 4
_ATTEMPTS = 3
_THREADS = 4
_MISSED: tuple[type[Exception], ...] = (*FAILURES, ServiceUnavailableError)
"""How cases fail to be stored."""


@dataclass(frozen=True, slots=True)
class BatchJob:
    """One file, the version that answers it, and how it is to be read."""

    artifacts: Place
    version: ResolvedVersion
    form: Format
    options: ReadOptions
    limits: Limits
    source: Path
    target: Path
    stamp: Stamp | None = None
    """Of the request, where its decisions are logged: beside ``target``."""
    costs: Costs | None = None
    """Instead of the model's own."""
    reference: str | None = None
    """The column that says what the caller calls the rows."""
    database: str = ""
    """Where the cases of rejected rows go."""

    @property
    def log(self) -> Path:
        """Where the lines of the prediction log go."""
        return self.target.with_suffix(".log")


def answer_file(job: BatchJob) -> Tally:
    """Write the file ``job.source`` with its decisions to ``job.target``.

    Raises
    ------
    InvalidRequestError
        With the first fault of the file, or where costs were asked for that the model
        cannot be asked for.
    CorruptArtifactError
        When the model's file is not what was written.
    ServiceUnavailableError, StorageFullError
        When the cases of rejected rows cannot be stored, and the policy refuses.
    """
    for _ in range(_ATTEMPTS):
        with suppress(Overtaken):
            return _answered(job)
    msg = "cases of the same references are being opened all the time; try again"
    raise ServiceUnavailableError(msg)


def _answered(job: BatchJob) -> Tally:
    ready = _loaded(job.artifacts).get(job.version.sha256)
    answering = Answering(ready, job.version, job.stamp, job.costs, job.reference)
    check_beginning(job.source, job.form)
    terms = job.version.review
    if terms is None:
        return _written(job, answering)
    cases = answering.open_cases(
        terms, _opened(job.database), job.target.with_suffix(".cases")
    )
    try:
        tally = _written(job, answering)
        cases.store()
    except _MISSED as error:
        if terms.refuse:
            raise
        log.warning("cases of a file are missing: %s", translate(error))
        cases.give_up()
        tally = _written(job, answering)
    return tally


def _written(job: BatchJob, answering: Answering) -> Tally:
    with io.BytesIO() if job.stamp is None else job.log.open("wb") as log:
        if job.form in ("parquet", "arrow"):
            paths = (job.source, job.target)
            return answer_columnar(
                answering, job.form, paths, log, job.options, job.limits
            )
        batch = CsvBatch(answering, job.options, job.limits)
        with job.source.open("rb") as source, job.target.open("wb") as target:
            return answer_csv(batch, source, target, log)


@cache
def _opened(url: str) -> Database:
    return open_database(url, pool_size=_THREADS)


@cache
def _loaded(artifacts: Place) -> LoadedModels[ReadyModel]:
    return LoadedModels(ArtifactStore(artifacts, "batch").read, ReadyModel, _MODELS)


def answer_csv(
    batch: CsvBatch, source: BinaryIO, target: BinaryIO, log: BinaryIO | None = None
) -> Tally:
    """Write a CSV file with its decisions, and their lines of the prediction log."""
    tally = Tally()
    written = False
    for lines, counts, logged in in_order(
        batch.answer, _blocks(batch, source), IN_FLIGHT
    ):
        if not written:
            target.write(batch.header)
            written = True
        target.write(lines)
        tally.add(counts)
        if log is not None:
            log.write(logged)
    if not written:
        target.write(batch.header)
    tally.notes = batch.notes
    return tally


def _blocks(batch: CsvBatch, source: BinaryIO) -> Iterator[Records]:
    while chunk := source.read(_CHUNK_BYTES):
        yield from batch.feed(chunk)
    yield from batch.finish()
