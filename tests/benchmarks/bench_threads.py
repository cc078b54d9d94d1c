"""Two threads beside one, and the exact solver on all rows of a large set.

    python -m tests.benchmarks --only threads [--quick] [--data FOLDER]

One and two threads take turns in one process, after both have run once; the ratio is
that of the medians, ``same_bits`` whether the models are equal to the last bit. The bar
of 1.6 is for two quiet processors: with one there is none. ``large`` fits all of skin's
245,057 rows in a process of its own, which tells its time, its memory and how often it
told its progress; SVC has the same rows and at most four minutes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from solvers import (
    AdaBoostStumpClassifier,
    EnsembleRejectClassifier,
    HingeSVC,
    RejectOptionClassifier,
)
from solvers.threads import using
from tests.benchmarks.bench_boosting import made as boosting_rows
from tests.benchmarks.bench_kernel_machines import alternate
from tests.benchmarks.kernel_sets import made

Row = dict[str, Any]

BAR = 1.6
SVC_SECONDS = 240.0
LARGE_BAR_GB = 2.0

LARGE = """
import json, sys, time
import numpy as np
from tests.benchmarks.resident import peak_bytes
table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
X, y = table[:, :-1], np.where(table[:, -1] > 0, 1.0, -1.0)
X = (X - X.mean(axis=0)) / X.std(axis=0)
del table
told = []
if sys.argv[2] == "ours":
    from solvers import HingeSVC
    model = HingeSVC(gamma=1 / X.shape[1])
    HingeSVC(gamma=1 / X.shape[1]).fit(X[::80], y[::80])  # compiled
    model._progress = lambda part, said: told.append(part) or True
else:
    from sklearn.svm import SVC
    model = SVC(gamma=1 / X.shape[1], cache_size=1000)
start = time.perf_counter()
model.fit(X, y)
spent = time.perf_counter() - start
print(json.dumps({"seconds": spent, "peak": peak_bytes(), "reports": len(told),
                  "gap": float(getattr(model, "duality_gap_", float("nan"))),
                  "rows": len(y), "vectors": len(model.support_)}))
"""


def beside_one(
    work: str,
    fit: Callable[[], Any],
    told: Callable[[Any], Any],
    rounds: int,
    *,
    bar: float | None = BAR,
) -> Row:
    """Fit by one thread and by two in turns."""

    def by(threads: int) -> Callable[[], Any]:
        def run() -> Any:
            with using(threads):
                return fit()

        return run

    by(1)(), by(2)()
    (one, two), models, done = alternate([by(1), by(2)], rounds)
    bar = bar if (os.cpu_count() or 1) > 1 else None
    first, second = (np.asarray(told(model)) for model in models)
    return {
        "work": work,
        "ours_s": two,
        "peer": "ours, one thread",
        "peer_s": one,
        "ratio": one / two,
        "bar": bar,
        "met": None if bar is None else one / two >= bar,
        "same_bits": bool(np.array_equal(first, second)),
        "repetitions": done,
    }


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the lines of the benchmark; see the module's docstring."""
    rows, rounds = (100_000, 20) if quick else (1_000_000, 100)
    X, y = boosting_rows(rows, 30)
    yield beside_one(
        f"AdaBoost, {rows:,} x 30, {rounds} rounds",
        lambda: AdaBoostStumpClassifier(n_rounds=rounds).fit(X, y),
        lambda model: model.weights_,
        3,
        bar=None if quick else BAR,
    )
    for n in (5_000,) if quick else (20_000, 50_000):
        A, b = made(n)
        yield beside_one(
            f"hinge, made, n={n}, C=1",
            lambda A=A, b=b: HingeSVC(gamma=1 / 20, solver="decomposition").fit(A, b),
            lambda model: model.dual_coef_,
            5,
            bar=None if quick else BAR,
        )
    A, b = made(2_000 if quick else 10_000)
    yield beside_one(
        f"five folds of a hinge SVM under Chow's rule, n={len(b)}",
        lambda: RejectOptionClassifier(HingeSVC(gamma=1 / 20), "chow").fit(A, b),
        lambda model: model.oof_scores_,
        3,
        bar=None if quick else BAR,
    )
    if not quick:
        yield beside_one(
            "auto's ensemble, whole, n=2000",
            lambda: EnsembleRejectClassifier(budget_seconds=1e6).fit(
                A[:2000], b[:2000]
            ),
            lambda model: model.oof_scores_,
            1,
            bar=None,
        )
        if data is not None:
            yield large(data)


def large(data: Path) -> Row:
    """Fit all rows of skin, ours and SVC's, each in a process of its own."""
    ours, theirs = (_in_a_process(data, who) for who in ("ours", "SVC"))
    row: Row = {"work": f"hinge, skin, n={ours['rows']:,}, C=1, exact"}
    row |= {"ours_s": ours["seconds"], "peer": "SVC"}
    if theirs is not None:
        row |= {
            "peer_s": theirs["seconds"],
            "ratio": theirs["seconds"] / ours["seconds"],
        }
    else:
        row["note"] = f"SVC was not done after {SVC_SECONDS:.0f} s"
    peak = ours["peak"] / 1e9
    row |= {"bar": f"{LARGE_BAR_GB:.0f} GB", "met": peak < LARGE_BAR_GB}
    names = ("gap", "vectors", "reports")
    return row | {"peak_gb": peak} | {name: ours[name] for name in names}


def _in_a_process(data: Path, who: str) -> Any:
    try:
        done = subprocess.run(
            [sys.executable, "-c", LARGE, str(data / "skin.csv.gz"), who],
            capture_output=True,
            text=True,
            check=True,
            timeout=None if who == "ours" else SVC_SECONDS,
            cwd=Path(__file__).parents[2],
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])
