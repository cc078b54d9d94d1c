"""POST /predict/batch and POST /datasets: rows a second, memory, and their neighbours.

The model is an RBF machine of 300 support vectors on 8 columns; the peer is what users
write by hand (pandas, scikit-learn, FastAPI) with a machine of that size. Client and
server share the machine's cores; ``cpu_us`` is the server's processor time a row, which
a busy machine changes less.
"""

import asyncio
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from tests.benchmarks.http_load import open_loop, post
from tests.benchmarks.served_model import COLUMNS, instances, launched, store_model

Row = dict[str, Any]
CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
SERVE = ("-m", "app.cli", "serve", "--port", "0", "--no-worker")


@dataclass(frozen=True)
class Sent:
    """One answered file."""

    seconds: float
    cpu_s: float
    peak_bytes: int
    answer_bytes: int


def run(quick: bool, data: Path | None) -> list[Row]:
    """Measure; see the module's words."""
    del data
    n, rounds = (200_000, 3) if quick else (1_000_000, 5)
    table = pa.table(
        dict(zip(COLUMNS, np.random.default_rng(1).normal(size=(8, n)), strict=True))
    )
    bodies = {CSV: _csv(table), PARQUET: _parquet(table), ARROW: _arrow(table)}
    with tempfile.TemporaryDirectory() as folder:
        store_model(Path(folder))
        with (
            _server(folder, *SERVE) as ours,
            _server(folder, "-m", "tests.benchmarks.batch_peers") as peer,
        ):
            rows = [_csv_beside_peer(ours, peer, bodies[CSV], n, rounds)]
            rows += [_typed(ours, form, bodies[form], n) for form in (PARQUET, ARROW)]
        with _server(folder, *SERVE) as ours:
            rows.append(_beside_batches(ours, bodies[CSV], quick))
        with _server(folder, *SERVE) as ours:
            rows.append(_upload(ours, n))
    return rows


def _csv(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    columns = [column.to_numpy().round(5) for column in table.columns]
    csv.write_csv(pa.table(columns, names=table.column_names), sink)
    return bytes(sink.getvalue().to_pybytes())


def _parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def _arrow(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1 << 16)
    return sink.getvalue().to_pybytes()


@contextmanager
def _server(folder: str, *command: str) -> Iterator["Server"]:
    """Start a server and wait until it answers anything."""
    with launched(folder, *command) as (port, process):
        server = Server(port, process)
        server.await_answer()
        yield server


@dataclass(frozen=True)
class Server:
    """A running server and its process."""

    port: int
    process: psutil.Process

    def await_answer(self) -> None:
        """Wait until it answers anything."""
        until = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{self.port}/livez")
            except httpx.TransportError:
                assert time.monotonic() < until
                time.sleep(0.05)
            else:
                return

    def send(self, path: str, body: bytes, media_type: str) -> Sent:
        """Send a file, read the whole answer."""
        before = self._cpu_s()
        peak = _Peak(self._family())
        began = time.perf_counter()
        with peak, socket.create_connection(("127.0.0.1", self.port)) as line:
            head = (
                f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                f"Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            line.sendall(head.encode())
            line.sendall(body)
            first, size = b"", 0
            while chunk := line.recv(1 << 20):
                first = first or chunk
                size += len(chunk)
        seconds = time.perf_counter() - began
        assert first.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")), first[:2000]
        return Sent(seconds, self._cpu_s() - before, peak.bytes, size)

    def _family(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]

    def _cpu_s(self) -> float:
        spent = [process.cpu_times() for process in self._family()]
        return sum(times.user + times.system for times in spent)


class _Peak:
    """The most anonymous memory that processes held beyond what they had before."""

    def __init__(self, processes: list[psutil.Process]) -> None:
        self._processes, self._done = processes, threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.bytes = 0

    def _held(self) -> int:
        held = [process.memory_info() for process in self._processes]
        return int(sum(memory.rss - memory.shared for memory in held))

    def _watch(self) -> None:
        before = self._held()
        while not self._done.wait(0.01):
            self.bytes = max(self.bytes, self._held() - before)

    def __enter__(self) -> "_Peak":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()


def _csv_beside_peer(
    ours: Server, peer: Server, body: bytes, n: int, rounds: int
) -> Row:
    path = "/predict/batch?model=bench"
    for server in (ours, peer):
        server.send(path, body, CSV)
    pairs = [
        (ours.send(path, body, CSV), peer.send(path, body, CSV)) for _ in range(rounds)
    ]
    rate = n / median(a.seconds for a, _ in pairs)
    return {
        "work": f"CSV of {n:,} rows, rows/s",
        "ours": rate,
        "peer": "pandas, scikit-learn, FastAPI",
        "peer_value": n / median(b.seconds for _, b in pairs),
        "ratio": median(b.seconds / a.seconds for a, b in pairs),
        "bar": 400_000.0,
        "met": rate >= 400_000.0,
        "cpu_us": median(a.cpu_s for a, _ in pairs) / n * 1e6,
        "peer_cpu_us": median(b.cpu_s for _, b in pairs) / n * 1e6,
        "peak_mb": max(a.peak_bytes for a, _ in pairs) / 1e6,
        "peer_peak_mb": max(b.peak_bytes for _, b in pairs) / 1e6,
    }


def _typed(ours: Server, form: str, body: bytes, n: int) -> Row:
    sent = [ours.send("/predict/batch?model=bench", body, form) for _ in range(3)]
    return {
        "work": f"{form.rpartition('.')[2]} of {n:,} rows, rows/s",
        "ours": n / median(one.seconds for one in sent),
        "cpu_us": median(one.cpu_s for one in sent) / n * 1e6,
        "peak_mb": max(one.peak_bytes for one in sent) / 1e6,
    }


def _beside_batches(ours: Server, body: bytes, quick: bool) -> Row:
    """Measure single rows at 300 requests/s, idle and beside two senders of files."""
    span = 3.0 if quick else 8.0
    small = post("/predict", instances(1))
    asyncio.run(open_loop(ours.port, small, 300, 1.0))
    idle = asyncio.run(open_loop(ours.port, small, 300, span))
    with _senders(lambda: ours.send("/predict/batch?model=bench", body, CSV)):
        time.sleep(0.3)
        beside = asyncio.run(open_loop(ours.port, small, 300, span))
    ratio = beside.percentile_ms(99) / idle.percentile_ms(99)
    return {
        "work": "1 row at 300 requests/s beside two CSV batches, p99 ms",
        "ours": beside.percentile_ms(99),
        "peer": "ours, idle",
        "peer_value": idle.percentile_ms(99),
        "ratio": ratio,
        "p50_ms": beside.percentile_ms(50),
    }


@contextmanager
def _senders(send: Callable[[], object]) -> Iterator[None]:
    """Keep two senders busy."""
    done = threading.Event()

    def sending() -> None:
        while not done.is_set():
            send()

    threads = [threading.Thread(target=sending) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


def _upload(ours: Server, n: int) -> Row:
    """Upload a CSV of 30 columns."""
    names = [f"column_{j}" for j in range(30)]
    values = np.random.default_rng(2).normal(size=(30, n)).round(5)
    body = _csv(pa.table(dict(zip(names, values, strict=True))))
    for _ in range(2):  # both processes have started then
        ours.send("/datasets", b"a,b\n1,2\n", CSV)
    sent = ours.send("/datasets", body, CSV)
    peak = sent.peak_bytes / 1e6
    return {
        "work": f"upload of {n:,} x 30 CSV ({len(body) / 1e6:.0f} MB), rows/s",
        "ours": n / sent.seconds,
        "cpu_us": sent.cpu_s / n * 1e6,
        "peak_mb": peak,
        "bar": "400 MB",
        "met": peak <= 400,
    }
