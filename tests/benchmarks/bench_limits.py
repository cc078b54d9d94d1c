"""What the hot loops could take at best: operations and bytes, counted, at the speeds
that this processor shows in the same run.

    python -m tests.benchmarks --only limits [--quick] [--data FOLDER]

Measured first: float32 multiplications and additions a second in a matrix product
(``flops``), bytes a second added up from memory and from the second-level cache. Then a
fit is counted: kernel entries computed (2 columns + 20 operations each, the Gaussian's
polynomial among the 20, and 4 bytes written), bytes of kernel rows read for the
gradient, and pair steps, each of which reads and writes 68 bytes a row of its block.
``limit_s`` is what this takes if nothing overlaps and nothing else is done, and
``of_limit`` how near the fit comes. For boosting the limit is one byte read and one
addition a row and column in each round, at the speed of the same loop on rows that stay
in the first-level cache; for JSON, reading the body and writing the answer alone.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import numpy as np
from numba import njit
from sklearn.svm import SVC
from xgboost import XGBClassifier

from solvers import DoubleHingeSVC, HingeSVC
from solvers.boosting.histograms import CHUNK_ROWS, packed_histogram, words_of
from solvers.dual import blocks
from solvers.kernels.cache import RowCache
from solvers.kernels.single import SingleRows
from solvers.threads import one_blas_thread
from tests.benchmarks import bench_boosting
from tests.benchmarks.bench_kernel_machines import COSTS, alternate, timed
from tests.benchmarks.kernel_sets import made

Row = dict[str, Any]

ENTRY_FLOPS = 20
STEP_BYTES = 68
JSON_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Speeds:
    """What the processor does in a second."""

    flops: float
    memory_bytes: float
    cache_bytes: float


@njit(cache=True, nogil=True, fastmath=True)
def _added(values):  # type: ignore[no-untyped-def]
    total = np.float32(0.0)
    for k in range(len(values)):
        total += values[k]
    return total


def speeds() -> Speeds:
    """Measure: the best of several turns, since others can only slow them."""
    A = np.random.default_rng(0).normal(size=(1024, 1024)).astype(np.float32)
    large = np.ones(64 * 2**20, dtype=np.float32)
    small = large[: 64 * 2**10]
    _added(small)
    with one_blas_thread():
        product_s = _least(lambda: A @ A, 10)
    memory_s = _least(lambda: _added(large), 5)
    cache_s = _least(lambda: [_added(small) for _ in range(100)], 10) / 100
    return Speeds(
        2 * 1024**3 / product_s, large.nbytes / memory_s, small.nbytes / cache_s
    )


def _least(work: Callable[[], Any], turns: int) -> float:
    return min(timed(work)[0] for _ in range(turns))


@dataclass(slots=True)
class Counted:
    """Operations and bytes of a fit."""

    entries: int = 0
    row_bytes: int = 0
    step_rows: int = 0

    def seconds(self, columns: int, at: Speeds) -> dict[str, float]:
        """Return what each kind of work takes at these speeds."""
        return {
            "entries_s": self.entries * (2 * columns + ENTRY_FLOPS) / at.flops
            + 4 * self.entries / at.cache_bytes,
            "gradient_s": self.row_bytes / at.memory_bytes,
            "steps_s": STEP_BYTES * self.step_rows / at.cache_bytes,
        }


def counted(fit: Callable[[], Any]) -> Counted:
    """Run a fit and count what it does."""
    told = Counted()
    pieces, add_to = SingleRows.pieces, RowCache.add_to

    def counting_pieces(self: Any, *given: Any, **more: Any) -> Iterator[Any]:
        for part, start, stop in pieces(self, *given, **more):
            told.entries += len(given[0][part]) * (stop - start)
            yield part, start, stop

    def counting_sums(self: Any, g: Any, rows: Any, change: Any) -> None:
        told.row_bytes += 4 * len(rows) * len(g)
        add_to(self, g, rows, change)

    def counting_steps(steps: Any) -> Any:
        def run(matrix: Any, diagonal: Any, *given: Any) -> Any:
            made_steps, left = steps(matrix, diagonal, *given)
            told.step_rows += made_steps * len(diagonal)
            return made_steps, left

        return run

    with ExitStack() as stack:
        stack.enter_context(patch.object(SingleRows, "pieces", counting_pieces))
        stack.enter_context(patch.object(RowCache, "add_to", counting_sums))
        steps = counting_steps(blocks.pair_steps)
        stack.enter_context(patch.object(blocks, "pair_steps", steps))
        fit()
    return told


def kernel_machine(name: str, n: int, C: float, at: Speeds, rounds: int) -> Row:
    """Hold a fit against its limit, beside SVC."""
    X, y = made(n)
    given = {"C": C, "gamma": 1 / 20, "solver": "decomposition"}
    machine = HingeSVC(**given) if name == "hinge" else DoubleHingeSVC(COSTS, **given)
    machine.fit(X, y)
    count = counted(lambda: machine.fit(X, y))
    peer = SVC(C=C, gamma=1 / 20, cache_size=2000)
    (ours_s, peer_s), _, _ = alternate(
        [lambda: machine.fit(X, y), lambda: peer.fit(X, y)], rounds
    )
    parts = count.seconds(X.shape[1], at)
    work = f"{name}, made, n={n}, C={C:g}"
    return _row(work, sum(parts.values()), ours_s, "SVC", peer_s) | parts


def boosting(name: str, X: Any, y: Any, rounds: int) -> Row:
    """Hold 200 rounds of stumps against their additions alone, beside XGBoost."""
    ours = bench_boosting.ours()
    some = slice(None, None, len(y) // 1000)  # of both classes, however they are sorted
    ours.fit(X[some], y[some])
    peer = bench_boosting.PEERS["XGBoost"]
    (ours_s, peer_s), models, _ = alternate(
        [lambda: ours.fit(X, y), lambda: peer().fit(X, y)], rounds
    )
    assert isinstance(models[1], XGBClassifier)
    columns = X.shape[1]
    rng = np.random.default_rng(0)
    words = words_of(rng.integers(0, 255, (columns, CHUNK_ROWS)).astype(np.uint8))
    signed, pull = rng.normal(size=CHUNK_ROWS), np.full(CHUNK_ROWS, 0.5)
    S = np.empty((columns, 256))
    R = np.empty_like(S)

    def once() -> None:
        packed_histogram(words, signed, pull, 5.0, S, R)

    once()
    chunk_s = _least(lambda: [once() for _ in range(50)], 10) / 50
    limit = chunk_s * len(y) / CHUNK_ROWS * bench_boosting.ROUNDS
    return _row(f"fit {name} {len(y):,} x {columns}", limit, ours_s, "XGBoost", peer_s)


def json_rows() -> Row:
    """Return rows a second of reading a request and writing its answer alone."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(JSON_ROWS, 8)).round(4)
    body = msgspec.json.encode(
        {
            "model": "m",
            "instances": [dict(zip("abcdefgh", r, strict=True)) for r in rows.tolist()],
        }
    )
    one = {
        "decision": 1,
        "label": "1",
        "probability": 0.123456789,
        "score": -1.23456789,
        "expected_cost": 0.0123456789,
        "costs": {"+1": 0.123456789, "-1": 0.123456789, "reject": 0.3},
    }
    answer = {"predictions": [one] * JSON_ROWS}
    read = msgspec.json.Decoder()
    spent = _least(lambda: (read.decode(body), msgspec.json.encode(answer)), 10)
    return {
        "work": "10,000 rows of JSON read and answered, rows/s",
        "limit": JSON_ROWS / spent,
    }


def _row(work: str, limit_s: float, ours_s: float, peer: str, peer_s: float) -> Row:
    return {
        "work": work,
        "limit_s": limit_s,
        "ours_s": ours_s,
        "of_limit": limit_s / ours_s,
        "peer": peer,
        "peer_s": peer_s,
        "ratio": peer_s / ours_s,
        "bar": None,
        "met": None,
    }


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the lines of the benchmark; see the module's docstring."""
    at = speeds()
    yield {
        "work": "this processor, a second",
        "gigaflops": at.flops / 1e9,
        "memory_gb": at.memory_bytes / 1e9,
        "cache_gb": at.cache_bytes / 1e9,
    }
    sizes = ((2_000, 1.0), (5_000, 1.0), (5_000, 100.0), (20_000, 1.0))
    for n, C in sizes[:1] if quick else sizes:
        for name in ("hinge", "double hinge"):
            yield kernel_machine(name, n, C, at, 3 if quick else 5)
    X, y = bench_boosting.made(50_000 if quick else 250_000, 3)
    yield boosting("made", X, y, 3)
    if data is not None and not quick:
        yield boosting("skin", *bench_boosting.real(data, "skin"), 3)
    yield json_rows()
