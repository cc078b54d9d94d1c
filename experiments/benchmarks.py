"""The tables of ``make bench``, for the page, from the JSON that it left."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.report import grid

__all__ = ["benchmark_text"]

OPENING = """## Speed beside peers

Written by `make bench DATA=folder`; every ratio is one of medians of repetitions that
alternate between ours and the peer in one run. Compilation is reported apart."""


def benchmark_text(path: Path) -> str:
    """Return the benchmark's tables, or nothing where it has not run."""
    if not path.is_file():
        return ""
    facts = json.loads(path.read_text(encoding="utf-8"))
    machine = facts.get("machine", {})
    told = [OPENING]
    if machine:
        versions = ", ".join(f"{k} {v}" for k, v in machine["versions"].items())
        told.append(
            f"{machine['cores']} cores, Python {machine['python']}, {versions}."
        )
    for name, rows in facts.items():
        if name != "machine":
            told.append("\n".join([f"**{name}**", "", *_table(rows)]))
    return "\n\n".join(told)


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
