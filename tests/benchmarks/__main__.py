"""Run every benchmark beside its peers; print one table, write JSON beside it.

    python -m tests.benchmarks [--quick] [--data FOLDER] [--only NAME ...]

Each ``bench_*.py`` has ``run(quick, data) -> list of rows``; a row says what was done
(``work``), the bar and whether it was met, and any figures of its own. Every ratio is a
ratio of medians of repetitions that alternate between ours and the peer in one run.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
PEERS = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "lightgbm",
    "xgboost-cpu",
    "clarabel",
)


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "versions": {name: version(name) for name in PEERS},
    }


def shown(value: object) -> str:
    """Return a figure with the digits that a reader can use."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "NO"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return str(value)


def table_of(name: str, rows: list[Mapping[str, Any]]) -> Table:
    """Return the rows as a table with all their columns, in first-seen order."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    table = Table(title=name, title_justify="left")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(shown(row.get(column)) for column in columns))
    return table


def main() -> int:
    """Run, print, write; exit 1 when a bar was missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, about a minute each"
    )
    parser.add_argument("--data", type=Path, help="the folder with the real data sets")
    parser.add_argument(
        "--only", nargs="*", default=[], help="names, e.g. boosting serving"
    )
    parser.add_argument("--output", type=Path, default=Path("benchmark-results"))
    options = parser.parse_args()
    names = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    unknown = set(options.only) - set(names)
    if unknown:
        parser.error(f"no benchmark is called {sorted(unknown)}; known: {names}")
    console = Console(width=None if sys.stdout.isatty() else 160)
    options.output.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"machine": machine()}
    missed = 0
    for name in options.only or names:
        module = importlib.import_module(f"tests.benchmarks.bench_{name}")
        started = time.perf_counter()
        rows = module.run(options.quick, options.data)
        console.print(table_of(f"{name} ({time.perf_counter() - started:.0f} s)", rows))
        results[name] = rows
        missed += sum(row.get("met") is False for row in rows)
        target = options.output / "benchmarks.json"
        target.write_text(json.dumps(results, indent=2, default=str) + "\n")
    console.print(
        f"bars missed: {missed}; figures in {options.output / 'benchmarks.json'}"
    )
    return int(missed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
