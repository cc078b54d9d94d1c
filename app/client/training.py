"""``demur train``: a file becomes a data set, a request, a job, a table of figures."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from app.client.files import FileError, TableFile, lines_of, open_table, plain_name
from app.client.http import ClientError, Connection
from app.client.problems import RefusedError, as_options
from app.client.showing import complain, sending, show_version, warn
from app.datasets.options import read_options
from app.datasets.schemas import UploadQuery
from app.errors import InvalidRequestError

__all__ = [
    "Order",
    "OrderError",
    "follow",
    "read_values",
    "request_of",
    "require_columns",
    "run",
]

INTERRUPTED = 130


class OrderError(Exception):
    """What was asked for does not fit the file, or cannot be read."""


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
    settings: tuple[str, ...]
    search: tuple[str, ...]
    left_out: tuple[str, ...]
    query: dict[str, Any]
    """How the file is read: parameters of ``ReadQuery``."""
    types: dict[str, list[str]]
    """Columns whose type is declared, by the type."""


def run(order: Order, url: str, key: str | None) -> int:
    """Train, wait, and show how good the model is; return the exit status."""
    console = Console(stderr=True)
    try:
        request = request_of(order)
        with open_table(order.file) as file, Connection(url, key) as client:
            stored = _upload(client, order, file, console)
            result = _train(client, order, request, stored, console)
            version = client.version(f"{result['model']}:{result['version']}")
    except KeyboardInterrupt:
        return complain("stopped; the job was cancelled", console, status=INTERRUPTED)
    except (FileError, OrderError) as error:
        return complain(error, console, status=2)
    except ClientError as error:
        return complain(f"{error}{_places(order, error)}", console, status=1)
    show_version(version, Console())
    console.print(
        f"the rows stay as data set {stored['id']}, which re-pricing needs;"
        f" `demur datasets {stored['id']} --delete` removes them",
        soft_wrap=True,
        highlight=False,
    )
    return 0


def request_of(order: Order) -> dict[str, Any]:
    """Return the body of POST /train, but for its data.

    Raises
    ------
    OrderError
        When a setting cannot be read.
    """
    request: dict[str, Any] = {
        "model": order.model or _name(order.file),
        "trainer": {"kind": order.trainer},
        "target": {"column": order.target, "positive": order.positive},
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
    rule = request.get("rule")
    if isinstance(rule, dict) and "reject_threshold" in rule:
        rule.setdefault("kind", "chow")  # the one rule that has it
    return request


def _upload(
    client: Connection, order: Order, file: TableFile, console: Console
) -> dict[str, Any]:
    """Upload the file, and say what may not have been read as it was meant."""
    query = {**order.query, **order.types, "name": file.name[:200]}
    with sending(console, file, client.url) as seen:
        stored = client.upload(file, query, seen)
    warn(map(as_options, stored["notes"]), console, "note")
    return stored


def _train(
    client: Connection,
    order: Order,
    request: dict[str, Any],
    stored: dict[str, Any],
    console: Console,
) -> dict[str, Any]:
    """Train on an upload; one that nothing was made of does not stay."""
    try:
        columns = _kept_columns(order, stored)
        data = {"kind": "dataset", "id": stored["id"], "columns": columns}
        job = client.ask("POST", "/train", json={**request, "data": data})
        result: dict[str, Any] = follow(client, job, console)["result"]
    except (OrderError, RefusedError, KeyboardInterrupt):
        with suppress(ClientError):
            client.ask("DELETE", f"/datasets/{stored['id']}")
        raise
    return result


def require_columns(
    file: Path, stored: Mapping[str, Any], wanted: Iterable[str | None]
) -> list[str]:
    """Return the names of an upload's columns.

    Raises
    ------
    OrderError
        When one that was named is not among them.
    """
    names = [one["name"] for one in stored["columns"]]
    for name in wanted:
        if name is not None and name.strip() not in names:
            msg = f"{file} has no column {name!r}; it has {', '.join(names)}"
            raise OrderError(msg)
    return names


def _kept_columns(order: Order, stored: Mapping[str, Any]) -> list[str]:
    """Return the columns that are not left out."""
    named = (order.target, order.weight, order.groups, order.order_by)
    names = require_columns(order.file, stored, (*named, *order.left_out))
    left_out = {name.strip() for name in order.left_out}
    if order.target.strip() in left_out:
        msg = f"the target {order.target!r} cannot be left out"
        raise OrderError(msg)
    return [name for name in names if name not in left_out]


def _places(order: Order, error: ClientError) -> str:
    """Return the lines of the file on which the rows of a refusal are."""
    if not error.rows or not order.file.is_file():
        return ""
    options = read_options(UploadQuery(**order.query))
    try:
        lines = lines_of(order.file, options, set(error.rows))
    except InvalidRequestError:  # refused as it was sent, by its lines
        return ""
    return "".join(
        f"\n  row {row + 1} is on line {line} of {order.file}"
        for row, line in sorted(lines.items())
    )


def follow(client: Connection, job: dict[str, Any], console: Console) -> dict[str, Any]:
    """Show a job's progress until it has succeeded; cancel it when interrupted."""
    columns = (
        TextColumn("{task.fields[model]}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    silent = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task("queued", total=1.0, model=job["model"])

        def seen(now: Any) -> None:
            progress = now["progress"]
            done, message = progress["fraction"], progress["message"]
            bar.update(task, completed=done, description=message)

        try:
            return client.wait(job, seen)
        except KeyboardInterrupt:
            client.ask("POST", f"/jobs/{job['id']}/cancel")
            with suppress(RefusedError):
                client.wait(job, seen)
            raise


def read_values(listed: str) -> tuple[str, list[Any]]:
    """Read one NAME=VALUES: values between commas, or one JSON array."""
    name, equals, text = listed.partition("=")
    if not equals or not name or not text:
        msg = f"--search takes NAME=VALUES such as C=0.1,1,10, not {listed!r}"
        raise OrderError(msg)
    whole = _json(text)
    if isinstance(whole, list):
        return name, whole
    return name, [_json(value.strip()) for value in text.split(",")]


def _json(text: str) -> Any:
    """Return the value; text that is no JSON stands for itself."""
    try:
        return json.loads(
            text,
            parse_constant=_finite,
            parse_float=_finite,
            object_pairs_hook=_each_once,
        )
    except json.JSONDecodeError:
        return text


def _finite(text: str) -> float:
    """Return a number of JSON; what Python reads beside them is none."""
    value = float(text)
    if not isfinite(value):
        msg = "numbers are finite: neither NaN nor Infinity, nor too large"
        raise OrderError(msg)
    return value


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON in which no key stands twice."""
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"the key {twice!r} is given twice; which one counts?"
        raise OrderError(msg)
    return by_name


def _set(request: dict[str, Any], setting: str) -> None:
    """Put one PATH=VALUE into a request; a value that is no JSON is text."""
    path, equals, text = setting.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        msg = f"--set takes PATH=VALUE such as trainer.C=10, not {setting!r}"
        raise OrderError(msg)
    here = request
    for key in keys[:-1]:
        here = here.setdefault(key, {})
        if not isinstance(here, dict):
            msg = f"--set {setting}: {key!r} holds no further settings"
            raise OrderError(msg)
    here[keys[-1]] = _json(text)


def _name(file: Path) -> str:
    """Return a model name that is made of the file's."""
    stem = Path(plain_name(file)).stem
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:64]
    return name or "model"
