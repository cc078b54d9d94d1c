"""What the commands print: progress, complaints, the figures of a version."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from app.client.files import Seen, TableFile

__all__ = ["complain", "figure", "sending", "show_version", "warn"]

MOST_SHOWN = 5


def complain(error: object, console: Console, *, status: int) -> int:
    """Print what went wrong; return the exit status."""
    text = f"demur: {error}"
    console.print(text, style="red", markup=False, highlight=False, soft_wrap=True)
    return status


def warn(lines: Iterable[str], console: Console, kind: str) -> None:
    """Print lines that somebody should look at."""
    for line in lines:
        text = f"{kind}: {line}"
        console.print(text, style="yellow", markup=False, soft_wrap=True)


@contextmanager
def sending(console: Console, file: TableFile, towards: str) -> Iterator[Seen]:
    """Show how much of a file is sent, where it is large enough to be seen."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
    )
    silent = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=silent) as bar:
        task = bar.add_task(f"{file.name} to {towards}", total=file.size or None)
        yield lambda position: bar.update(task, completed=position)


def show_version(version: dict[str, Any], console: Console) -> None:
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
    warn(version.get("warnings", []), console, "warning")


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
        figures = (figure(row["mean"]), figure(row["standard_error"]))
        table.add_row(row["trainer"], row["rule"], Text(params), *figures)
    console.print(table)
    console.print(f"note: {search['note']}", markup=False)


def figure(value: float | None) -> str:
    """Return a figure to four digits; a dash where there is none."""
    return "-" if value is None else f"{value:.4f}"
