"""Abstention stumps beside LightGBM, XGBoost and AdaBoost, all on one thread.

    python -m tests.benchmarks.bench_boosting [--quick] [--data FOLDER]

200 rounds, binning included, c = 0.2 for ours; the peers have their own defaults but
for the size of a tree (LightGBM 3 leaves, XGBoost depth 1), which is what our stumps
of three answers are nearest to. They are other models: only time is compared. Fits
alternate in one process and a ratio is that of medians of ``repetitions``, fewer than
planned where they would take more than two minutes. AdaBoost is too slow for most
sizes: it is timed on a few rounds and extrapolated, as its column says.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier
from xgboost import XGBClassifier

from solvers.scoring import load
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier

Row = dict[str, Any]
Floats = NDArray[np.float64]

ROUNDS = 200
BARS = {"LightGBM": 3.5, "XGBoost": 3.0}
BAR_ROWS = 240_000
MEMORY_BAR_MB = 2000.0
MOST_SECONDS = 120.0

# rows, features, repetitions, rounds of AdaBoost that are timed (0: not run)
SIZES = (
    (10_000, 20, 7, 20),
    (250_000, 3, 5, 3),
    (500_000, 8, 3, 1),
    (1_000_000, 30, 3, 0),
)
QUICK_SIZES = ((10_000, 20, 3, 5), (250_000, 3, 3, 0))


def made(n_rows: int, n_features: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return rows whose label depends on the first three features."""
    random = np.random.default_rng(1)
    X = random.normal(size=(n_rows, n_features))
    odds = 1.5 * X[:, 0] + X[:, 1] ** 2 - 1.0 + np.sin(3.0 * X[:, 2])
    return X, (random.random(n_rows) < 1.0 / (1.0 + np.exp(-odds))).astype(np.int64)


def real(folder: Path, name: str) -> tuple[Floats, NDArray[np.int64]]:
    """Return a set of the folder: header, feature columns, last column the label."""
    table = np.loadtxt(folder / f"{name}.csv.gz", delimiter=",", skiprows=1)
    return np.ascontiguousarray(table[:, :-1]), (table[:, -1] > 0).astype(np.int64)


def ours(max_bins: int | str = 255) -> AbstentionBoostingClassifier:
    """Return our booster; 255 bins are what "auto" takes above 20,000 rows."""
    return AbstentionBoostingClassifier(cost=0.2, n_rounds=ROUNDS, max_bins=max_bins)


PEERS: dict[str, Callable[[], Any]] = {
    "LightGBM": lambda: LGBMClassifier(
        n_estimators=ROUNDS, num_leaves=3, n_jobs=1, verbose=-1
    ),
    "XGBoost": lambda: XGBClassifier(
        n_estimators=ROUNDS, max_depth=1, tree_method="hist", n_jobs=1
    ),
}


def seconds(work: Callable[[], object]) -> float:
    """Return how long the work took."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def alternate(
    works: dict[str, Callable[[], object]], repetitions: int
) -> tuple[dict[str, float], int]:
    """Run the works in turns; return the median seconds of each, and the turns.

    No turn begins that would end after ``MOST_SECONDS``.
    """
    spent: dict[str, list[float]] = {name: [] for name in works}
    began = time.perf_counter()
    done = 0
    while done < repetitions:
        for name, work in works.items():
            spent[name].append(seconds(work))
        done += 1
        if (time.perf_counter() - began) * (done + 1) / done > MOST_SECONDS:
            break
    return {name: float(np.median(values)) for name, values in spent.items()}, done


def row_of(work: str, mine: float, peer: str, theirs: float, bar: float | None) -> Row:
    """Return one line of the result; a bar is a least ratio."""
    met = None if bar is None else theirs / mine >= bar
    return {
        "work": work,
        "ours_s": mine,
        "peer": peer,
        "peer_s": theirs,
        "ratio": theirs / mine,
        "bar": bar,
        "met": met,
    }


def fits(work: str, X: Floats, y: NDArray[Any], repetitions: int) -> list[Row]:
    """Time fits beside LightGBM and XGBoost."""
    works: dict[str, Callable[[], object]] = {"ours": lambda: ours().fit(X, y)}
    works |= {name: lambda m=make: m().fit(X, y) for name, make in PEERS.items()}
    spent, done = alternate(works, repetitions)
    bars = BARS if len(y) >= BAR_ROWS else {}
    rows = [row_of(work, spent["ours"], p, spent[p], bars.get(p)) for p in PEERS]
    return [row | {"repetitions": done} for row in rows]


def exact_fit(X: Floats, y: NDArray[Any], repetitions: int) -> Row:
    """Time the exact search, which "auto" takes on small tables."""
    works: dict[str, Callable[[], object]] = {
        "ours": lambda: ours("auto").fit(X, y),
        "LightGBM": lambda: PEERS["LightGBM"]().fit(X, y),
    }
    spent, _ = alternate(works, repetitions)
    work = f"fit {len(y):,} x {X.shape[1]}, every threshold"
    return row_of(work, spent["ours"], "LightGBM", spent["LightGBM"], None)


def adaboost(work: str, X: Floats, y: NDArray[Any], rounds: int) -> Row:
    """Time a few rounds of AdaBoost and extrapolate to all."""
    few = seconds(lambda: AdaBoostClassifier(n_estimators=rounds).fit(X, y))
    mine = seconds(lambda: ours().fit(X, y))
    peer = f"AdaBoost (extrapolated from {rounds} rounds)"
    return row_of(work, mine, peer, few * ROUNDS / rounds, None)


def predictions(n_rows: int, n_features: int, repetitions: int) -> list[Row]:
    """Time scoring: many rows, and one row at a time, on one thread."""
    X, y = made(n_rows, n_features)
    light = PEERS["LightGBM"]().fit(X[:50_000], y[:50_000])
    scorer: Any = load(ours().fit(X[:50_000], y[:50_000]).scorer_payload())
    booster = light.booster_
    rows = []
    for count in (n_rows, 1):
        part = np.ascontiguousarray(X[:count])
        spent, _ = alternate(
            {
                "ours": lambda part=part: scorer.pair(part),
                "LightGBM": lambda part=part: booster.predict(
                    part, raw_score=True, num_threads=1
                ),
            },
            repetitions if count > 1 else 200,
        )
        work = f"predict {count:,} x {n_features}"
        row = row_of(work, spent["ours"], "LightGBM", spent["LightGBM"], None)
        rows.append(row | {"ours_rows_per_s": count / spent["ours"]})
    return rows


def growth(sizes: tuple[int, ...]) -> Row:
    """Fit the exponent of time in the number of rows, for ours and LightGBM."""
    spent: dict[str, list[float]] = {"ours": [], "LightGBM": []}
    for n_rows in sizes:
        X, y = made(n_rows, 8)
        works: dict[str, Callable[[], object]] = {
            "ours": lambda X=X, y=y: ours().fit(X, y),
            "LightGBM": lambda X=X, y=y: PEERS["LightGBM"]().fit(X, y),
        }
        for name, value in alternate(works, 3)[0].items():
            spent[name].append(value)
    slopes = {
        name: float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
        for name, values in spent.items()
    }
    work = f"exponent of time in rows, {sizes[0]:,} to {sizes[-1]:,} x 8"
    return {"work": work, **slopes, "bar": None, "met": None}


MEMORY = """
import sys
from tests.benchmarks.bench_boosting import made, ours
from tests.benchmarks.resident import peak_bytes
X, y = made(int(sys.argv[1]), 30)
ours().fit(X, y)
print(peak_bytes() / 2**20)
"""


def memory(n_rows: int) -> Row:
    """Measure the peak memory of a fresh process: the table of 240 MB included."""
    told = subprocess.run(
        [sys.executable, "-c", MEMORY, str(n_rows)],
        capture_output=True,
        text=True,
        check=True,
    )
    peak = float(told.stdout)
    met = peak <= MEMORY_BAR_MB if n_rows >= 1_000_000 else None
    work = f"peak memory of a fit {n_rows:,} x 30 (MB)"
    return {"work": work, "ours": peak, "bar": MEMORY_BAR_MB, "met": met}


def measured(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the rows of the benchmark one by one."""
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    ours().fit(*made(30_000, 3))  # compiles
    ours("auto").fit(*made(3_000, 3))
    for n_rows, n_features, repetitions, rounds in QUICK_SIZES if quick else SIZES:
        X, y = made(n_rows, n_features)
        work = f"fit {n_rows:,} x {n_features}"
        yield from fits(work, X, y, repetitions)
        if n_rows <= 20_000:
            yield exact_fit(X, y, repetitions)
        if rounds:
            yield adaboost(work, X, y, rounds)
    if data is not None:
        for name in ("skin",) if quick else ("skin", "cover"):
            X, y = real(data, name)
            yield from fits(f"fit {name} {len(y):,} x {X.shape[1]}", X, y, 3)
    yield from predictions(20_000 if quick else 200_000, 20, 3)
    if not quick:
        yield growth((50_000, 100_000, 200_000, 400_000))
    yield memory(100_000 if quick else 1_000_000)


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the rows of the benchmark; data is a folder with real sets."""
    return measured(quick, data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    for line in measured(options.quick, options.data):
        print(json.dumps(line), flush=True)
