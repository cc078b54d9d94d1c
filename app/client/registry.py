"""What a service has, asked for and shown: models, jobs, data sets, aliases, prices.

Each action asks the service and returns its answer with a way to show it.
"""

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rich.console import Console
from rich.table import Table
from rich.text import Text

from app.client.exporting import export
from app.client.files import FileError, open_table
from app.client.http import ClientError, Connection, model_path
from app.client.showing import complain, figure, sending, show_version, warn
from app.client.training import OrderError, require_columns
from app.client.training import follow as follow_job

__all__ = [
    "alias",
    "datasets",
    "evaluate",
    "export",
    "jobs",
    "models",
    "pages",
    "reprice",
    "rows",
    "run",
]

Answer = dict[str, Any]
Shown = tuple[Any, Callable[[Console], None]]

_PAGE = 200
_WIDE = 10_000


def run(
    action: Callable[..., Shown],
    arguments: Sequence[Any],
    url: str,
    key: str | None,
    *,
    as_json: bool,
) -> int:
    """Do one action and show what came of it; return the exit status."""
    errors = Console(stderr=True)
    try:
        with Connection(url, key) as client:
            answer, show = action(client, errors, *arguments)
    except (FileError, OrderError) as error:
        return complain(error, errors, status=2)
    except ClientError as error:
        return complain(error, errors, status=1)
    if as_json:
        print(json.dumps(answer, indent=2, ensure_ascii=False))  # noqa: T201
    else:
        # Where nobody reads along, a line is as long as it is.
        show(Console(width=None if sys.stdout.isatty() else _WIDE))
    return 0


def models(client: Connection, errors: Console, model: str | None) -> Shown:
    """Return all models, the versions of one, or one version."""
    del errors
    if model is None:
        listed = list(pages(client, "/models", "models", "after"))
        columns = ("name", "latest_version", "versions", "created_at", "description")
        return listed, lambda out: _list(out, listed, columns)
    if ":" in model or "@" in model:
        version = client.version(model)
        return version, lambda out: show_version(version, out)
    answer = client.ask("GET", model_path(model), params={"limit": _PAGE})
    aliases: dict[int, list[str]] = {}
    for name, number in answer["aliases"].items():
        aliases.setdefault(number, []).append(name)
    rows = [
        {**one, "aliases": ", ".join(aliases.get(one["version"], ()))}
        for one in answer["versions"]
    ]

    def show(out: Console) -> None:
        _list(out, rows, ("version", "created_at", "aliases"))
        show_version(answer["latest"], out)

    return answer, show


def jobs(
    client: Connection,
    errors: Console,
    job: str | None,
    only: Mapping[str, str | None],
    cancel: bool,
    follow: bool,
) -> Shown:
    """Return the newest jobs, or one of them."""
    if job is None:
        query = {name: value for name, value in only.items() if value is not None}
        listed = client.ask("GET", "/jobs", params=query)["jobs"]
    else:
        path = f"/jobs/{quote(job, safe='')}"
        method, path = ("POST", f"{path}/cancel") if cancel else ("GET", path)
        one = client.ask(method, path)
        listed = [follow_job(client, one, errors) if follow else one]

    def show(out: Console) -> None:
        rows = [
            {
                **one,
                "version": (one["result"] or {}).get("version"),
                "message": (one["error"] or {}).get(
                    "detail", one["progress"]["message"]
                ),
            }
            for one in listed
        ]
        columns = ("id", "model", "status", "version", "created_at", "message")
        _list(out, rows, columns)

    return (listed if job is None else listed[0]), show


def rows(client: Connection, errors: Console, query: Mapping[str, float]) -> Shown:
    """Return how many rows a promise takes, by how lucky their draw is."""
    del errors
    answer = client.ask("GET", "/rules/bounded-error/rows", params=query)
    lines = [{"rows": name, **needed} for name, needed in answer.items()]
    return answer, lambda out: _list(out, lines, ("rows", "lucky", "even", "unlucky"))


def datasets(
    client: Connection,
    errors: Console,
    dataset: str | None,
    delete: bool,
    drop_guards: bool,
) -> Shown:
    """Return all data sets, or one of them, or what went with it."""
    del errors
    if dataset is None:
        listed = list(pages(client, "/datasets", "datasets", "before"))
        columns = ("id", "name", "format", "rows", "created_at")
        return listed, lambda out: _list(out, listed, columns)
    path = f"/datasets/{quote(dataset, safe='')}"
    if delete:
        query = {"outlier_guards": "drop" if drop_guards else "keep"}
        gone = client.ask("DELETE", path, params=query)

        def show_what_is_lost(out: Console) -> None:
            out.print(f"{gone['id']} is deleted", highlight=False)
            for one in gone["models"]:
                lost = ", ".join(one["lost"]) or "nothing"
                line = f"{one['name']}:{one['version']} goes on without: {lost}"
                out.print(line, highlight=False, markup=False)

        return gone, show_what_is_lost
    answer = client.ask("GET", path, params={"preview": 0})

    def show(out: Console) -> None:
        _list(out, [answer], ("id", "name", "format", "rows", "created_at"))
        _list(out, answer["columns"], ("name", "type", "missing"))
        warn(answer["notes"], out, "note")

    return answer, show


def alias(
    client: Connection,
    errors: Console,
    model: str,
    name: str | None,
    version: int | None,
    delete: bool,
    gates: Mapping[str, Any],
) -> Shown:
    """Return the aliases of a model, after one was moved or removed."""
    path = f"{model_path(model)}/aliases"
    if name is not None:
        one = f"{path}/{quote(name, safe='')}"
        if delete:
            client.ask("DELETE", one)
        elif version is not None:
            body = {"version": version, "gates": gates}
            moved = client.ask("PUT", one, json=body)
            warn(moved["gates"], errors, "passed")
    aliases = client.ask("GET", path)["aliases"]
    if name is not None and not delete:
        aliases = [client.ask("GET", f"{path}/{quote(name, safe='')}")]
    return aliases, lambda out: _list(out, aliases, ("alias", "version", "moved_at"))


def reprice(
    client: Connection, errors: Console, model: str, asked: Mapping[str, Any]
) -> Shown:
    """Return the new version, and what it changes on the held-out rows."""
    del errors
    version = client.version(model)
    path = f"{model_path(version['name'])}/versions/{version['version']}/reprice"
    answer = client.ask("POST", path, json=asked)

    def show(out: Console) -> None:
        new, old = answer["model"], answer["repriced_from"]
        title = f"{new['name']}, version {new['version']} (of {old['version']})"
        table = Table("held-out rows", "before", "after", title=title, box=None)
        before, after = answer["evaluation"]["before"], answer["evaluation"]["after"]
        for key in ("expected_cost", "error_rate", "reject_rate", "selective_error"):
            cells = (figure(before.get(key)), figure(after.get(key)))
            table.add_row(key.replace("_", " "), *cells)
        out.print(table)
        if answer["promise"]:
            out.print(answer["promise"], markup=False, highlight=False)
        warn(answer["warnings"], out, "warning")

    return answer, show


def evaluate(
    client: Connection,
    errors: Console,
    model: str,
    file: Path,
    query: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> Shown:
    """Return how a version does on the rows of a file, which do not stay."""
    version = client.version(model)
    target = asked.get("target") or version.get("target") or {}
    with open_table(file) as table, sending(errors, table, client.url) as seen:
        stored = client.upload(table, {**query, "name": table.name[:200]}, seen)
    path = f"{model_path(version['name'])}/versions/{version['version']}"
    try:
        if "column" in target:
            require_columns(file, stored, [target["column"]])
        body = {**asked, "data": {"kind": "dataset", "id": stored["id"]}}
        answer = client.ask("POST", f"{path}/evaluate", json=body)
    finally:
        with suppress(ClientError):
            client.ask("DELETE", f"/datasets/{stored['id']}")
    return answer, lambda out: _show_evaluation(answer, out)


def _show_evaluation(answer: Answer, out: Console) -> None:
    version = answer["model"]
    title = f"{version['name']}, version {version['version']}"
    rows = f"{answer['rows']} rows"
    table = Table("", "training", rows, "95 % interval", title=title, box=None)
    for name, one in answer["compared"].items():
        interval = " to ".join(map(figure, one["interval"] or ()))
        mark = " (differs)" if one["differs"] else ""
        here = f"{figure(one['here'])}{mark}"
        words = name.replace("_", " ")
        table.add_row(words, figure(one["training"]), here, interval)
    out.print(table)
    if (promise := answer["promise"]) is not None:
        text = f"the promise {promise['status']}: {promise['sentence']}"
        out.print(text, markup=False, highlight=False)
    warn(answer["warnings"], out, "warning")


def pages(client: Connection, path: str, key: str, mark: str) -> Iterator[Answer]:
    """Yield the entries of a list, page after page."""
    query: dict[str, Any] = {"limit": _PAGE}
    while True:
        page = client.ask("GET", path, params=query)
        yield from page[key]
        if page["next"] is None:
            return
        query[mark] = page["next"]


def _list(out: Console, rows: Sequence[Answer], names: Sequence[str]) -> None:
    """Print rows under names."""
    table = Table(box=None)
    for name in names:
        table.add_column(name.replace("_", " "), no_wrap=name == "id")
    for row in rows:
        table.add_row(*(_cell(name, row[name]) for name in names))
    out.print(table)
    if not rows:
        out.print("there are none")


def _cell(name: str, value: Any) -> Text:
    """Return a value as it is, whatever brackets it has; times to the minute."""
    text = "" if value is None else str(value)
    return Text(text[:16].replace("T", " ") if name.endswith("_at") else text)
