"""The tables of ``make bench``, for the page, from the JSON that it left."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.report import grid

__all__ = ["benchmark_text", "published_text", "speed_text"]

HEADING = "## Speed beside peers"
OPENING = f"""{HEADING}

Written by `make bench DATA=folder`; every ratio is one of medians of repetitions that
alternate between ours and the peer in one run. Compilation is reported apart. *bar* is
what a row is held against, *met* whether it is; a row without a bar is a figure only.
A benchmark or a peer that did not run says so in a row of its own."""


def benchmark_text(path: Path) -> str:
    """Return the benchmark's tables, or nothing where it has not run."""
    if not path.is_file():
        return ""
    facts = json.loads(path.read_text(encoding="utf-8"))
    tables = {name: rows for name, rows in facts.items() if name != "machine"}
    parts = [OPENING, _verdict(tables)]
    machine = facts.get("machine", {})
    if machine:
        parts.insert(1, _measured_on(machine))
    for name, rows in tables.items():
        title = name.replace("_", " ")
        parts.append("\n".join([f"**{title}**", "", *_table(rows)]))
    return "\n\n".join(parts)


def speed_text(path: Path, page: Path) -> str:
    """Return the tables of the last run, and those published of what it did not run.

    A run of some benchmarks (``--only``) replaces their tables, under a line of its own
    that tells what it was measured on, and leaves the others as they are.
    """
    ran, published = benchmark_text(path), published_text(page)
    if not (ran and published):
        return ran or published
    (opening, kept), (_, new) = _tables_of(published), _tables_of(ran)
    if set(kept) <= set(new):
        return ran
    facts = json.loads(path.read_text(encoding="utf-8"))
    machine = facts.get("machine", {})
    for title, table in new.items():
        rows = facts[title.replace(" ", "_")]
        opening_line = [f"Run apart: {_measured_on(machine)}"] if machine else []
        verdict = _verdict({title: rows})
        kept[title] = "\n\n".join([*opening_line, verdict, table])
    return "\n\n".join([opening, *(f"**{t}**\n\n{table}" for t, table in kept.items())])


def _tables_of(text: str) -> tuple[str, dict[str, str]]:
    """Return what comes before the first table, and each table by its title."""
    opening, *parts = re.split(r"^\*\*([a-z][a-z ]*)\*\*$", text, flags=re.MULTILINE)
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return opening.strip(), {title: table.strip() for title, table in pairs}


def published_text(page: Path) -> str:
    """Return the benchmark's tables that a page has, or nothing.

    They are its last part. A clone where no benchmark has run keeps what is published.
    """
    if not page.is_file():
        return ""
    _, heading, text = page.read_text(encoding="utf-8").partition(f"\n{HEADING}\n")
    return f"{HEADING}\n{text}".rstrip("\n") if heading else ""


def _measured_on(machine: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
    parts = [
        f"`{machine['command']}`" if "command" in machine else "",
        machine.get("time", ""),
        machine.get("processor", ""),
        f"{machine['cores']} cores",
        f"Python {machine['python']}",
        versions,
    ]
    return f"{', '.join(part for part in parts if part)}."


def _verdict(tables: Mapping[str, list[Mapping[str, Any]]]) -> str:
    """Say how many bars were met, and which benchmarks did not finish."""
    rows = [row for rows in tables.values() for row in rows]
    met = [row["met"] for row in rows if row.get("met") is not None]
    broken = [
        name for name, rows in tables.items() if any("failed" in row for row in rows)
    ]
    summary = f"{sum(met)} of {len(met)} bars met."
    return f"{summary} Not finished: {', '.join(broken)}." if broken else summary


def _table(rows: list[Mapping[str, Any]]) -> list[str]:
    heads = list(dict.fromkeys(key for row in rows for key in row))
    return grid(heads, [[_shown(row.get(head)) for head in heads] for row in rows], 1)


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "**NO**"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)
