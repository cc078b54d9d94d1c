"""POST /predict at every size of body, on a quiet machine and beside busy processes.

A client chooses how many rows it sends at once, and no choice may be a trap: from a
hundred rows on (below, a request costs more than its rows), no size is more than three
times as slow a row as the best one, also where other processes want every core twice.
The sizes take turns, so that what else the machine does falls on all of them alike.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.http_load import closed_loop, post
from tests.benchmarks.served_model import instances, serving, store_model

SIZES = (1, 10, 100, 1_000, 5_000, 10_000, 25_000, 100_000)
AMORTIZED = 100
MOST_TIMES_SLOWER = 3.0
BUSY_A_CORE = 2


def run(quick: bool, data: Path | None) -> list[dict[str, Any]]:
    """Measure; see the module's words."""
    del data
    seconds, rounds = (0.3, 3) if quick else (1.0, 7)
    with tempfile.TemporaryDirectory() as folder:
        store_model(Path(folder))
        command = ("-m", "app.cli", "serve", "--port", "0", "--no-worker")
        with serving(folder, *command) as ours:
            asyncio.run(closed_loop(ours.port, _request(SIZES[-1]), 1, 0.1))
            quiet = _rates(ours.port, seconds, rounds)
            with _busy(BUSY_A_CORE * (os.cpu_count() or 1)):
                busy = _rates(ours.port, seconds, rounds)
    return [*_rows(quiet, "quiet"), *_rows(busy, "beside busy processes")]


def _rates(port: int, seconds: float, rounds: int) -> dict[int, float]:
    """Return the rows a second of each size: the median of the rounds."""
    found: dict[int, list[float]] = {n: [] for n in SIZES}
    requests = {n: _request(n) for n in SIZES}
    for _ in range(rounds):
        for n, request in requests.items():
            load = asyncio.run(closed_loop(port, request, 1, seconds))
            found[n].append(n * load.per_second)
    return {n: median(rates) for n, rates in found.items()}


def _request(n: int) -> bytes:
    return post("/predict", instances(n))


@contextmanager
def _busy(n: int) -> Iterator[None]:
    """Keep processes that take all that they are given."""
    command = [sys.executable, "-c", "while True: pass"]
    processes = [subprocess.Popen(command) for _ in range(n)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _rows(rates: dict[int, float], beside: str) -> list[dict[str, Any]]:
    best = max(rates.values())
    return [
        {
            "work": f"{n} rows a request, {beside}, rows/s",
            "ours": rate,
            "peer": "the best size",
            "peer_value": best,
            "ratio": rate / best,
            **_bar(n, rate, best),
        }
        for n, rate in rates.items()
    ]


def _bar(n: int, rate: float, best: float) -> dict[str, Any]:
    if n < AMORTIZED:
        return {}
    bar = 1 / MOST_TIMES_SLOWER
    return {"bar": bar, "met": rate >= bar * best}
