"""``demur train``: a CSV file becomes a request, a job, a table of figures."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.client.csv_table import CsvTable, TableError, read_csv
from app.client.http import Client, ClientError
from app.datasets.reading.options import MISSING, ColumnType, ReadOptions

__all__ = ["Order", "follow", "read_values", "request_of", "run"]

INLINE_BYTES = 8 * 2**20
"""A larger file is uploaded first: the body of a training has a limit."""

INTERRUPTED = 130
MOST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Order:
    """What the command line asked for; None leaves a choice to the service."""

    file: Path
    target: str
    positive: str
    model: str | None
    trainer: str
    rule: str | None
    costs: dict[str, float] | None
    weight: str | None
    groups: str | None
    order_by: str | None
    holdout: float
    seed: int
    settings: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    options: ReadOptions = field(default_factory=ReadOptions)


def run(order: Order, url: str, key: str | None) -> int:
    """Train, wait, and show how good the model is; return the exit status."""
    console = Console(stderr=True)
    try:
        table = read_csv(order.file, order.options)
        kinds = kept_columns(order, table)
        request = request_of(order, table, kinds)
        large = order.file.stat().st_size > INLINE_BYTES
        if not large:
            request["data"] = inline(table, kinds)
    except TableError as error:
        console.print(f"demur: {error}", style="red", markup=False)
        return 2
    try:
        with Client(url, key) as client:
            if large:
                stored = client.upload(order.file, upload_query(order, table))
                request["data"] = dataset(stored, kinds)
                text = f"uploaded; the file stays until DELETE /datasets/{stored['id']}"
                console.print(text, soft_wrap=True, highlight=False)
            job = client.train(request)
            done = follow(client, job, console)
            result = done["result"]
            version = client.version(result["model"], result["version"])
    except KeyboardInterrupt:
        console.print("demur: stopped; the job was cancelled", style="red")
        return INTERRUPTED
    except OSError as error:
        console.print(f"demur: {order.file}: {error.strerror}", style="red")
        return 2
    except ClientError as error:
        places = "".join(
            f"\n  row {row + 1} is on line {line} of {order.file}"
            for row in sorted(set(error.rows))
            if (line := table.line(row)) is not None
        )
        console.print(f"demur: {error}{places}", style="red", markup=False)
        return 1
    show(version, Console())
    return 0


def kept_columns(order: Order, table: CsvTable) -> dict[str, ColumnType]:
    """Return the type of each column that is not left out.

    Raises
    ------
    TableError
        When the file lacks a column that was named, or the target is left out.
    """
    kinds = table.kinds()
    named = (order.target, order.weight, order.groups, order.order_by)
    for name in (*named, *order.left_out):
        if name is not None and name not in kinds:
            msg = (
                f"{table.path} has no column {name!r}; it has"
                f" {', '.join(table.columns)}"
            )
            raise TableError(msg)
    if order.target in order.left_out:
        msg = f"the target {order.target!r} cannot be left out"
        raise TableError(msg)
    return {name: kind for name, kind in kinds.items() if name not in order.left_out}


def inline(table: CsvTable, kinds: Mapping[str, ColumnType]) -> dict[str, Any]:
    """Return the rows as a training's ``data``."""
    return {"kind": "inline", "columns": list(kinds), "rows": table.typed(kinds)}


def dataset(
    stored: Mapping[str, Any], kinds: Mapping[str, ColumnType]
) -> dict[str, Any]:
    """Return an upload as a training's ``data``."""
    return {"kind": "dataset", "id": stored["id"], "columns": list(kinds)}


def upload_query(order: Order, table: CsvTable) -> dict[str, Any]:
    """Return how the service is to read the file: as ``table`` was read."""
    options = order.options
    query: dict[str, Any] = {
        "name": order.file.name[:200],
        "delimiter": options.delimiter or "auto",
        "decimal": options.decimal,
        "encoding": options.encoding,
        # The one type that the service would not find by itself.
        "categorical": [name for name in table.codes() if name not in order.left_out],
    }
    if options.missing != MISSING:
        query["missing"] = list(options.missing)
    return query


def request_of(
    order: Order, table: CsvTable, kinds: Mapping[str, ColumnType]
) -> dict[str, Any]:
    """Return the body of POST /train, but for its data.

    Raises
    ------
    TableError
        When the column of the target has no such label, or a setting cannot be read.
    """
    request: dict[str, Any] = {
        "model": order.model or _name(order.file),
        "trainer": {"kind": order.trainer},
        "target": {
            "column": order.target,
            "positive": table.label(order.positive, kinds[order.target]),
        },
        "evaluation": {"holdout": order.holdout, "seed": order.seed},
    }
    if order.costs is not None:
        request["costs"] = order.costs
    if order.rule is not None:
        request["rule"] = {"kind": order.rule}
    if order.weight is not None:
        request["target"]["weight"] = order.weight
    if order.groups is not None:
        request["groups"] = order.groups
    if order.order_by is not None:
        request["evaluation"]["order_by"] = order.order_by
    if order.search:
        request["search"] = {"params": dict(map(read_values, order.search))}
    for setting in order.settings:
        _set(request, setting)
    return request


def follow(client: Client, job: dict[str, Any], console: Console) -> dict[str, Any]:
    """Show a job's progress until it has succeeded; cancel it when interrupted."""
    columns = (
        TextColumn("{task.fields[model]}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("queued", total=1.0, model=job["model"])
        try:
            return client.wait(
                job,
                lambda now: bar.update(
                    task,
                    completed=now["progress"]["fraction"],
                    description=now["progress"]["message"],
                ),
            )
        except KeyboardInterrupt:
            client.cancel(job["id"])
            raise


def show(version: dict[str, Any], console: Console) -> None:
    """Print what a version is and how it did on held-out rows."""
    figures = version["evaluation"]
    table = Table(title=f"{version['name']}, version {version['version']}", box=None)
    table.add_column("held-out rows")
    table.add_column(str(figures["rows"]), justify="right")
    for key, name in (
        ("expected_cost", "expected cost"),
        ("error_rate", "error rate, of all"),
        ("reject_rate", "reject rate"),
        ("selective_error", "error rate, of decided"),
    ):
        if figures.get(key) is not None:
            table.add_row(name, f"{figures[key]:.4f}")
    for answer, cost in (figures.get("constants") or {}).items():
        table.add_row(f"cost of always {answer}", f"{cost:.4f}")
    console.print(table)
    if version.get("search"):
        _show_search(version["search"], console)
    for warning in version.get("warnings", []):
        console.print(f"warning: {warning}", style="yellow", markup=False)


def _show_search(search: dict[str, Any], console: Console) -> None:
    """Print the best candidates of a search."""
    rows = search["table"]
    title = f"search, best {min(len(rows), MOST_SHOWN)} of {len(rows)} candidates"
    table = Table(title=title, box=None)
    measure = search["measure"].replace("_", " ")
    for name in ("trainer", "rule", "parameters", measure, "standard error"):
        table.add_column(name)
    for row in rows[:MOST_SHOWN]:
        params = ", ".join(f"{name}={value}" for name, value in row["params"].items())
        figures = (_figure(row["mean"]), _figure(row["standard_error"]))
        table.add_row(row["trainer"], row["rule"], params, *figures)
    console.print(table)
    console.print(f"note: {search['note']}", markup=False)


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def read_values(listed: str) -> tuple[str, list[Any]]:
    """Read one NAME=VALUES: values between commas, or one JSON array."""
    name, equals, text = listed.partition("=")
    if not equals or not name or not text:
        msg = f"--search takes NAME=VALUES such as C=0.1,1,10, not {listed!r}"
        raise TableError(msg)
    whole = _json(text)
    if isinstance(whole, list):
        return name, whole
    return name, [_json(value.strip()) for value in text.split(",")]


def _json(text: str) -> Any:
    """Return the value; text that is no JSON stands for itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _set(request: dict[str, Any], setting: str) -> None:
    """Put one PATH=VALUE into a request; a value that is no JSON is text."""
    path, equals, text = setting.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        msg = f"--set takes PATH=VALUE such as trainer.C=10, not {setting!r}"
        raise TableError(msg)
    here = request
    for key in keys[:-1]:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            msg = f"--set {setting}: {key!r} holds no further settings"
            raise TableError(msg)
    here[keys[-1]] = _json(text)


def _name(file: Path) -> str:
    """Return a model name that is made of the file's."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem).strip("-._")[:64]
    return name or "model"
