"""``demur predict``: the rows of a CSV file, with their decisions beside them."""

import csv
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

from rich.console import Console
from rich.progress import track

from app.client.csv_table import CsvTable, TableError, read_csv
from app.client.http import Client, ClientError
from app.datasets.reading.options import ReadOptions

__all__ = ["DECISION_COLUMNS", "Question", "decide", "run"]

DECISION_COLUMNS = (
    "decision",
    "label",
    "score",
    "probability",
    "expected_cost",
    "reason",
)
_ROWS_A_REQUEST = 2000


@dataclass(frozen=True, slots=True)
class Question:
    """What the command line asked for; no output file means standard output."""

    model: str
    file: Path
    output: Path | None = None
    form: Literal["csv", "json"] = "csv"
    options: ReadOptions = field(default_factory=ReadOptions)


def run(question: Question, url: str, key: str | None) -> int:
    """Decide every row and write the decisions; return the exit status."""
    console = Console(stderr=True)
    try:
        table = read_csv(question.file, question.options)
        with Client(url, key) as client:
            predictions = list(decide(client, question.model, table, console))
        with _opened(question.output) as stream:
            write = _write_csv if question.form == "csv" else _write_json
            write(table, predictions, stream)
    except TableError as error:
        console.print(f"demur: {error}", style="red", markup=False)
        return 2
    except OSError as error:
        text = f"demur: {question.output}: {error.strerror}"
        console.print(text, style="red", markup=False)
        return 2
    except ClientError as error:
        console.print(f"demur: {error}", style="red", markup=False)
        return 1
    rejected = sum(one["decision"] == "reject" for one in predictions)
    console.print(f"{len(predictions)} rows decided, {rejected} of them rejected")
    return 0


def decide(
    client: Client, model: str, table: CsvTable, console: Console
) -> Iterator[dict[str, Any]]:
    """Yield the prediction of each row, in order.

    The cells are read by the types of the model's own columns, so that a file is
    understood as the training file was.
    """
    version = client.version_of(model)
    kinds = {column["name"]: column["type"] for column in version["features"]}
    missing = [column for column in kinds if column not in table.columns]
    if missing:
        msg = f"{table.path} lacks columns of the model: {', '.join(missing)}"
        raise TableError(msg)
    columns = [name for name in table.columns if name in kinds]
    rows = table.typed(kinds)
    # The version that the types came from, also when a newer one appears meanwhile.
    asked = f"{version['name']}:{version['version']}"
    for start in track(
        range(0, len(rows), _ROWS_A_REQUEST),
        description=asked,
        console=console,
        transient=True,
    ):
        part = rows[start : start + _ROWS_A_REQUEST]
        try:
            answer = client.predict(
                {"model": asked, "data": {"columns": columns, "rows": part}}
            )
        except ClientError as error:
            line = table.line(start + error.rows[0]) if error.rows else None
            where = "" if line is None else f"\n  in {table.path}, line {line}"
            msg = f"{error}{where}"
            raise ClientError(msg) from error
        yield from answer["predictions"]


def _opened(output: Path | None) -> Any:
    if output is None:
        return nullcontext(sys.stdout)
    return output.open("w", encoding="utf-8", newline="")


def _write_csv(
    table: CsvTable, predictions: list[dict[str, Any]], stream: TextIO
) -> None:
    # A column of the file that is called like one of ours keeps its name.
    added = [
        f"demur_{name}" if name in table.columns else name for name in DECISION_COLUMNS
    ]
    writer = csv.writer(stream)
    writer.writerow([*table.columns, *added])
    for row, one in zip(table.rows(), predictions, strict=True):
        writer.writerow([*row, *(one[name] for name in DECISION_COLUMNS)])


def _write_json(
    table: CsvTable, predictions: list[dict[str, Any]], stream: TextIO
) -> None:
    rows = [
        {"row": dict(zip(table.columns, row, strict=True)), **one}
        for row, one in zip(table.rows(), predictions, strict=True)
    ]
    json.dump(rows, stream, indent=2)
    stream.write("\n")
