"""A million rows: machines on landmarks beside LIBLINEAR and boosting; growth by rows.

Machines on landmarks and LIBLINEAR (scikit-learn's LinearSVC, hinge loss) solve one
problem on one set of features, but that LIBLINEAR counts the bias to the norm. Scores
are calibrated on rows apart, decided by Chow's rule at prices 5/1/.6/.3, and paid for
on 100,000 rows that nobody has seen. Boosting has 100 rounds. Streamed stumps read the
rows twice, from the file. Seconds are the processor's, one thread, in a process of its
own that has compiled before; memory is the largest that it ever held.

The exponent of a work is the slope of log seconds against log rows.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.svm import LinearSVC

from solvers import (
    AbstentionBoostingClassifier,
    CostMatrix,
    GradientBoostingRejectClassifier,
    HingeSVC,
    StreamedRows,
)
from solvers.calibration import fit_calibration
from solvers.kernels import Kernel, KernelRows
from solvers.kernels.landmarks import LandmarkFeatures
from solvers.rules import ChowRule
from tests.benchmarks.resident import peak_bytes

Row = dict[str, Any]
Floats = NDArray[np.float64]

COSTS = CostMatrix(1.0, 5.0, 0.6, 0.3)
LANDMARKS, SWEEPS, ROUNDS = 100, 20, 100
APART = 100_000
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
WORKS = ("landmarks", "LIBLINEAR", "gradient boosting", "streamed stumps")


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Measure; see the module's words."""
    sizes = (25_000, 50_000, 100_000) if quick else (100_000, 300_000, 1_000_000)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.parquet"
        store(file, *made(sizes[-1] + 2 * APART))
        for work in WORKS:
            told = [in_its_own_process(file, work, n) for n in sizes]
            yield from (_row("made", work, one) for one in told)
            yield _growth(work, told)
        if data is not None and not quick:
            store(file, *enlarged(data, "cover", sizes[-1] + 2 * APART))
            for work in WORKS:
                yield _row("cover", work, in_its_own_process(file, work, sizes[-1]))


def _row(name: str, work: str, told: Row) -> Row:
    bar = {"bar": 1e-3, "met": told["gap"] <= 1e-3} if "gap" in told else {}
    return {"work": f"{work}, {name}, {told['rows']:,} rows", **told, **bar}


def _growth(work: str, told: list[Row]) -> Row:
    rows, seconds = ([one[key] for one in told] for key in ("rows", "fit_s"))
    slope = np.polyfit(np.log(rows), np.log(seconds), 1)[0]
    return {"work": f"{work}: exponent of fit_s in rows", "exponent": float(slope)}


def made(n: int) -> tuple[Floats, Floats]:
    """Return noisy rows of 20 columns, of which six tell the label, not linearly."""
    random = np.random.default_rng(1)
    X = random.normal(size=(n, 20))
    odds = 1.5 * X[:, 0] + X[:, 1] ** 2 - 1.0 + np.sin(3.0 * X[:, 2])
    odds += X[:, 3] * X[:, 4] + 0.5 * X[:, 5]
    return X, np.where(random.random(n) < 1.0 / (1.0 + np.exp(-odds)), 1.0, -1.0)


def enlarged(folder: Path, name: str, n: int) -> tuple[Floats, Floats]:
    """Return a set of the folder, standardised, repeated with a little noise."""
    table = np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1)
    random = np.random.default_rng(2)
    drawn = random.integers(0, len(table), n)
    X, y = table[:, :-1], table[drawn, -1]
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return X[drawn] + 0.02 * random.normal(size=(n, X.shape[1])), y


def store(file: Path, X: Floats, y: Floats) -> None:
    """Write rows as float32, in row groups of 100,000."""
    columns = {f"x{i}": column.astype(np.float32) for i, column in enumerate(X.T)}
    table = pa.table({**columns, "label": y.astype(np.int8)})
    pq.write_table(table, file, row_group_size=100_000)


def in_its_own_process(file: Path, work: str, n: int) -> Row:
    """Return what one process tells of one work on the first n rows."""
    command = [sys.executable, "-m", "tests.benchmarks.bench_many_rows"]
    done = subprocess.run(
        [*command, str(file), work, str(n)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **dict.fromkeys(THREADS, "1")},
        cwd=Path(__file__).parents[2],
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measured(file: Path, work: str, n: int) -> Row:
    """Fit one work on the first n rows; the last ones calibrate and judge."""
    names = [name for name in pq.read_schema(file).names if name != "label"]
    last, labels = _last(file, names)
    y = pq.read_table(file, columns=["label"])["label"].to_numpy()[:n]
    small = np.random.default_rng(0).normal(size=(2_000, len(names)))
    fit(work, small, np.where(small[:, 0] > 0.0, 1, -1))  # compiles
    if work == "streamed stumps":
        X: Any = StreamedRows(lambda: _blocks(file, names, n), n, len(names))
    else:
        X = np.concatenate(list(_blocks(file, names, n)))
    start = time.process_time()
    score, facts = fit(work, X, y)
    spent = time.process_time() - start
    start = time.process_time()
    scores = score(last)
    told = len(last) / (time.process_time() - start)
    half = len(last) // 2
    curve = fit_calibration(scores[:half], labels[:half])
    p = curve.probability(scores[half:])
    decisions = ChowRule(COSTS).fit().decide(p)
    paid = float(COSTS.of_decisions(labels[half:], decisions).mean())
    peak = peak_bytes() / 1e6
    return {"rows": n, "cost": paid, "fit_s": spent, "scored_a_s": told, "MB": peak} | (
        facts
    )


def fit(work: str, X: Any, y: Any) -> tuple[Any, Row]:
    """Return what scores rows, and facts."""
    gamma = 0.5 / X.shape[1]
    if work == "landmarks":
        machine = HingeSVC(gamma=gamma, landmarks=LANDMARKS, cache_size=2000).fit(X, y)
        return machine.positive_score, {"gap": machine.duality_gap_}
    if work == "LIBLINEAR":
        random = np.random.RandomState(0)
        places = np.sort(random.choice(len(X), LANDMARKS, replace=False))
        rows = KernelRows(Kernel("rbf", gamma), X)
        features = LandmarkFeatures(rows, places, 1e-6)
        Z = features.single(np.arange(len(X)))
        linear = LinearSVC(loss="hinge", max_iter=SWEEPS, random_state=0).fit(Z, y)
        vectors, onto = X[places], features.map @ linear.coef_[0]
        bias = float(linear.intercept_[0])

        def scored(A: Floats) -> Floats:
            parts = np.array_split(A, max(1, len(A) // 4096))
            made = [_gaussian(part, vectors, gamma) @ onto for part in parts]
            return np.concatenate(made) + bias

        return scored, {"iterations": int(linear.n_iter_)}
    if work == "gradient boosting":
        boosted = GradientBoostingRejectClassifier(n_rounds=ROUNDS).fit(X, y)
        return boosted.positive_score, {"rounds": boosted.n_rounds_}
    stumps = AbstentionBoostingClassifier(n_rounds=ROUNDS).fit(X, y)
    return stumps.positive_score, {"rounds": stumps.n_rounds_}


def _gaussian(A: Floats, B: Floats, gamma: float) -> Floats:
    squares = (A * A).sum(axis=1)[:, np.newaxis] + (B * B).sum(axis=1)
    return np.asarray(np.exp(-gamma * np.maximum(squares - 2.0 * A @ B.T, 0.0)))


def _blocks(file: Path, names: list[str], n: int) -> Iterator[Floats]:
    left = n
    for _, block in StreamedRows.of_parquet(file, names).blocks():
        yield block[:left]
        left -= len(block)
        if left <= 0:
            return


def _last(file: Path, names: list[str]) -> tuple[Floats, Floats]:
    with pq.ParquetFile(file) as table:
        groups = [table.num_row_groups - 2, table.num_row_groups - 1]
        read = table.read_row_groups(groups, columns=[*names, "label"])
    X = np.column_stack([read[name].to_numpy() for name in names])
    return X.astype(np.float64), read["label"].to_numpy().astype(np.float64)


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
