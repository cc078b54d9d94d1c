"""``demur predict``: a file goes to POST /predict/batch and comes back with decisions.

The service reads it, decides it and writes it; here it is only passed on, so that a
file of any size takes no memory. An output file appears when it is whole.
"""

import gzip
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO, Literal, cast

import httpx
from rich.console import Console

from app.client.files import FileError, TableFile, open_table
from app.client.http import ClientError, Connection
from app.client.problems import as_options
from app.client.showing import complain, sending, warn
from app.datasets.options import read_options
from app.datasets.reading.columnar import ArrowStream, ParquetFile
from app.datasets.reading.csv_source import CsvSource
from app.datasets.reading.limits import Limits
from app.datasets.schemas import ReadQuery

__all__ = ["Question", "run"]

_COUNTS = ("model", "rows", "rejected", "warned")
_ADDED = "demur_"
_BAND = "demur_band"
_NUMBERS = ("demur_score", "demur_probability", "demur_expected_cost")


@dataclass(frozen=True, slots=True)
class Question:
    """What the command line asked for; no output file means standard output."""

    model: str
    file: Path
    output: Path | None
    form: Literal["csv", "json"] | None
    """None: as the file is."""
    query: dict[str, Any]
    """How the file is to be read: parameters of ``ReadQuery``."""
    costs: dict[str, float]
    """Instead of the model's own, where there are any."""


def run(question: Question, url: str, key: str | None) -> int:
    """Decide every row and write the decisions; return the exit status."""
    console = Console(stderr=True)
    try:
        with open_table(question.file) as file, Connection(url, key) as client:
            _check_form(question, file)
            query = {"model": question.model, **question.query, **question.costs}
            with (
                sending(console, file, question.model) as seen,
                client.decided(file, query, seen) as answer,
            ):
                _write(question, file, answer)
    except FileError as error:
        return complain(error, console, status=2)
    except ClientError as error:
        return complain(error, console, status=1)
    model, rows, rejected, warned = (answer.headers[f"demur-{n}"] for n in _COUNTS)
    notes = json.loads(answer.headers.get("demur-notes", "[]"))
    warn(map(as_options, notes), console, "note")
    console.print(
        f"{rows} rows decided by {model}: {rejected} rejected, {warned} with warnings",
        highlight=False,
    )
    return 0


def _check_form(question: Question, file: TableFile) -> None:
    if question.form == "csv" and not file.media_type.startswith("text/"):
        msg = f"{file.path} is no text: its decisions come in its own form, or as JSON"
        raise FileError(msg)


def _write(question: Question, file: TableFile, answer: httpx.Response) -> None:
    with _target(question.output) as target:
        if question.form != "json":
            for piece in answer.iter_bytes():
                target.write(piece)
        else:
            _write_json(question, file, answer, target)
        target.flush()


@contextmanager
def _target(output: Path | None) -> Iterator[BinaryIO]:
    """Open where the decisions go; a file takes its name when it is whole.

    Raises
    ------
    FileError
        When it cannot be written.
    """
    if output is None:
        yield sys.stdout.buffer
        return
    # What exists and is no file, such as a pipe, is written as it is.
    special = output.exists() and not output.is_file()
    part = output if special else output.with_name(f".{output.name}.{os.getpid()}")
    packed = output.suffix.lower() == ".gz"
    try:
        with part.open("wb") as raw:
            if packed:
                with gzip.open(raw, "wb") as target:
                    yield cast(BinaryIO, target)
            else:
                yield raw
        if not special:
            part.replace(output.resolve())
    except OSError as error:
        msg = f"{output}: {error.strerror}"
        raise FileError(msg) from None
    finally:
        if not special:
            part.unlink(missing_ok=True)


def _write_json(
    question: Question, file: TableFile, answer: httpx.Response, target: BinaryIO
) -> None:
    """Write the rows of an answer as one JSON array of objects."""
    with NamedTemporaryFile(prefix="demur-") as kept:
        for piece in answer.iter_bytes():
            kept.write(piece)
        kept.flush()
        before = b"[\n"
        for row in _rows(Path(kept.name), file.media_type, question.query):
            target.write(before + json.dumps(row, default=str).encode())
            before = b",\n"
        target.write(b"\n]\n")


def _rows(
    path: Path, media_type: str, query: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file with decisions, text as it is written there."""
    if not media_type.startswith("text/"):
        parquet = media_type.endswith("parquet")
        file = (ParquetFile if parquet else ArrowStream)(path, Limits())
        for batch in file.batches():
            yield from batch.to_pylist()
        return
    asked = ReadQuery(**{**query, "encoding": "utf-8"})
    options = read_options(asked, tab="tab" in media_type)
    source = CsvSource(path, options, Limits(), kept=False)
    for batch in source.batches():
        for cells in zip(
            *(column.to_pylist() for column in batch.columns), strict=True
        ):
            row = dict(zip(source.names, cells, strict=True))
            yield {name: _typed(name, cell) for name, cell in row.items()}


def _typed(name: str, cell: str) -> float | str | None:
    """Return a cell of a column that the service added as what it is."""
    if name in _NUMBERS:
        return float(cell.replace(",", ".")) if cell else None
    if name == _BAND:
        return int(cell)
    return (cell or None) if name.startswith(_ADDED) else cell
