"""Run every benchmark beside its peers; print one table, write JSON beside it.

    python -m tests.benchmarks [--quick] [--data FOLDER] [--only NAME ...]

Each ``bench_*.py`` has ``run(quick, data) -> rows``; a row says what was done
(``work``), the bar and whether it was met, and any figures of its own. Every ratio is a
ratio of medians of repetitions that alternate between ours and the peer in one run.

Each runs in a process of its own: one that fails, or is not done when its time is up,
is a row that says so, and the others have theirs. Exit code 1 then, and when a bar was
missed.
"""

import argparse
import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.benchmarks.apart import run_apart

HERE = Path(__file__).parent
PEERS = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "lightgbm",
    "xgboost-cpu",
    "clarabel",
    "fastapi",
    "pydantic",
    "uvicorn",
    "pandas",
)
# The longest has the time that the others leave; it keeps the rows that it has then.
LAST = "kernel_machines"
_MOST_S = 600.0  # of any other, so that one that hangs leaves time to the rest


def machine() -> dict[str, Any]:
    """Return what the figures were measured on, and by what command."""
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": f"python -m tests.benchmarks {shlex.join(_told(sys.argv[1:]))}",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "versions": {name: version(name) for name in PEERS},
    }


def _told(arguments: list[str]) -> list[str]:
    """Return the arguments with folders by their names alone."""
    return [Path(one).name if os.sep in one else one for one in arguments]


def processor() -> str:
    """Return the processor's name, where the system tells it."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.is_file() else []
    named = (line.split(":", 1)[1] for line in lines if line.startswith("model name"))
    return " ".join(next(named, platform.processor()).split())


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
    """Run, print, write; exit 1 when a bar was missed or a benchmark failed."""
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else 160)
    options.output.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {"machine": machine()}
    missed = failed = 0
    until = time.monotonic() + 60.0 * options.minutes
    for name in options.only:
        started = time.monotonic()
        left = until - started if name == LAST else min(until - started, _MOST_S)
        rows = run_apart(name, options.quick, options.data, max(left, 1.0))
        spent = f"{name} ({time.monotonic() - started:.0f} s)"
        console.print(table_of(spent, rows))
        results[name] = rows
        missed += sum(row.get("met") is False for row in rows)
        failed += any("failed" in row for row in rows)
        target = options.output / "benchmarks.json"
        target.write_text(json.dumps(results, indent=2, default=str) + "\n")
    console.print(
        f"bars missed: {missed}; benchmarks not finished: {failed};"
        f" figures in {options.output / 'benchmarks.json'}"
    )
    return int(missed > 0 or failed > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, about a minute each"
    )
    parser.add_argument("--data", type=Path, help="the folder with the real data sets")
    parser.add_argument(
        "--only", nargs="*", default=[], help="names, e.g. boosting serving"
    )
    parser.add_argument("--output", type=Path, default=Path("benchmark-results"))
    parser.add_argument(
        "--minutes",
        type=float,
        default=27.0,
        help="what is not done by then is stopped, and a row says so",
    )
    options = parser.parse_args()
    found = {path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py")}
    names = sorted(found, key=lambda name: (name == LAST, name))
    unknown = set(options.only) - found
    if unknown:
        parser.error(f"no benchmark is called {sorted(unknown)}; known: {names}")
    options.only = options.only or names
    return options


if __name__ == "__main__":
    raise SystemExit(main())
