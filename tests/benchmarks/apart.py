"""One benchmark in a process of its own; its rows are kept as they come.

    python -m tests.benchmarks.apart NAME FILE [--quick] [--data FOLDER]

writes them to FILE. Whatever becomes of the process, the rows that it had stay.
"""

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks.peers.servers import last_words

__all__ = ["run_apart"]

Row = dict[str, Any]
ROOT = Path(__file__).parents[2]


def run_apart(name: str, quick: bool, data: Path | None, seconds: float) -> list[Row]:
    """Return a benchmark's rows; where it did not finish, the last one says why.

    Parameters
    ----------
    name : str
    quick : bool
    data : Path or None
    seconds : float
        It is stopped then, with all that it started.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        process = subprocess.Popen(
            command(name, file, quick, data), cwd=ROOT, stdin=subprocess.DEVNULL
        )
        try:
            status = process.wait(seconds)
            why = f"its process ended with status {status}" if status else None
        except subprocess.TimeoutExpired:
            why = f"stopped: not done after {seconds:.0f} s"
        finally:
            _stop(process)
        text = file.read_text(encoding="utf-8") if file.is_file() else "[]"
    rows: list[Row] = json.loads(text)
    told = any("failed" in row for row in rows)
    return rows if why is None or told else [*rows, _failed(why)]


def command(name: str, file: Path, quick: bool, data: Path | None) -> list[str]:
    """Return the command that runs one benchmark."""
    told = [sys.executable, "-m", "tests.benchmarks.apart", name, str(file)]
    told += ["--quick"] * quick
    return told if data is None else [*told, "--data", str(data.resolve())]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the process, if it runs, and all that it started."""
    if process.poll() is not None:
        return
    tree = psutil.Process(process.pid)
    for one in [*tree.children(recursive=True), tree]:
        with suppress(psutil.NoSuchProcess):
            one.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(30)
    for one in [*tree.children(recursive=True), tree] if tree.is_running() else ():
        with suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait(30)


def _failed(why: str) -> Row:
    return {"work": "NOT FINISHED", "failed": why}


def main() -> int:
    """Run one benchmark; exit 1 when it fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.apart")
    parser.add_argument("name")
    parser.add_argument("file", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    rows: list[Row] = []
    status = 0
    try:
        module = importlib.import_module(f"tests.benchmarks.bench_{options.name}")
        for row in module.run(options.quick, options.data):
            rows.append(row)
            _keep(rows, options.file)
    except Exception as error:  # noqa: BLE001 - told in a row, and by the exit status
        traceback.print_exc()
        words = last_words(f"{type(error).__name__}: {error}")
        rows.append(_failed(words))
        status = 1
    _keep(rows, options.file)
    return status


def _keep(rows: list[Row], file: Path) -> None:
    part = file.with_suffix(".part")
    part.write_text(json.dumps(rows, default=str), encoding="utf-8")
    part.replace(file)


if __name__ == "__main__":
    raise SystemExit(main())
