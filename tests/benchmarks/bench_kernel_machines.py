"""Kernel machines beside scikit-learn's SVC (LIBSVM) and a general QP solver.

    python -m tests.benchmarks.bench_kernel_machines [--quick] [--data FOLDER]

Gaussian kernel, gamma = 1 / n_features, tol = 1e-3; the peer has a cache of 2 GB, ours
its default of 200 MB. Both fit in turns in one process and the ratio is that of the
medians. ``worse`` is how far our dual objective stays below the peer's, relative: it
should never be above 1e-6.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import SVC

from solvers import CostMatrix, DoubleHingeSVC, HingeSVC
from solvers.dual.problem import DualProblem
from solvers.kernels import Kernel, KernelRows
from solvers.losses import DoubleHinge, Hinge
from tests.benchmarks.kernel_sets import REAL, made, real

Row = dict[str, Any]
Floats = NDArray[np.float64]

COSTS = CostMatrix(1.0, 1.0, 0.3, 0.25)
TOL = 1e-3

# rows, C, bar of the hinge, bar of the double hinge, repetitions
SIZES = (
    (1_000, 1.0, None, None, 5),
    (1_000, 100.0, None, None, 5),
    (5_000, 1.0, 5.0, 4.0, 5),
    (5_000, 100.0, None, 4.0, 5),
    (10_000, 1.0, None, 4.0, 3),
    (20_000, 1.0, 6.0, 4.0, 3),
    (20_000, 100.0, 2.6, 4.0, 3),
    (50_000, 1.0, 10.0, 4.0, 3),
)
QUICK_ROWS = 5_000


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds and result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def alternate(
    works: list[Callable[[], Any]], rounds: int
) -> tuple[list[float], list[Any]]:
    """Run the works in turns; return each one's median seconds and last result."""
    seconds: list[list[float]] = [[] for _ in works]
    results: list[Any] = [None] * len(works)
    for _ in range(rounds):
        for place, work in enumerate(works):
            spent, results[place] = timed(work)
            seconds[place].append(spent)
    return [float(np.median(values)) for values in seconds], results


def row_of(work: str, ours: float, peer: str, peer_s: float, bar: float | None) -> Row:
    """Return one line of the result; a bar is a least ratio."""
    ratio = peer_s / ours
    met = None if bar is None else ratio >= bar
    return {
        "work": work,
        "ours_s": ours,
        "peer": peer,
        "peer_s": peer_s,
        "ratio": ratio,
        "bar": bar,
        "met": met,
    }


def dual_objective(X: Any, y: Floats, C: float, model: Any) -> float:
    """Return the hinge's dual objective, from the fitted attributes, in float64."""
    rows = KernelRows(Kernel("rbf", 1.0 / X.shape[1]), X)
    beta = np.zeros(len(y))
    coefficients = model.dual_coef_
    if sparse.issparse(coefficients):
        coefficients = coefficients.toarray()
    beta[model.support_] = coefficients[0]
    # The peer's float32 kernel leaves its weights a rounding outside the box.
    beta = y * np.clip(y * beta, 0.0, C)
    return DualProblem(rows, Hinge().rows(y).weighted(C)).dual(beta)


def against_svc(
    name: str, X: Any, y: Floats, C: float, bars: tuple[float | None, ...], rounds: int
) -> list[Row]:
    """Fit hinge, double hinge and the peer's hinge in turns."""
    gamma = 1.0 / X.shape[1]
    times, models = alternate(
        [
            lambda: HingeSVC(C=C, gamma=gamma, tol=TOL, solver="decomposition").fit(
                X, y
            ),
            lambda: DoubleHingeSVC(
                COSTS, C=C, gamma=gamma, tol=TOL, solver="decomposition"
            ).fit(X, y),
            lambda: SVC(C=C, gamma=gamma, tol=TOL, cache_size=2000).fit(X, y),
        ],
        rounds,
    )
    theirs = dual_objective(X, y, C, models[2])
    ours = dual_objective(X, y, C, models[0])
    hinge = row_of(f"hinge, {name}, C={C:g}", times[0], "SVC", times[2], bars[0])
    hinge["gap"] = models[0].duality_gap_
    hinge["worse"] = (theirs - ours) / abs(theirs)
    double = row_of(
        f"double hinge, {name}, C={C:g}", times[1], "SVC", times[2], bars[1]
    )
    double["gap"] = models[1].duality_gap_
    return [hinge, double]


def exponents(rows: list[Row], sizes: list[int]) -> Row:
    """Return the fitted exponents of time in n, from the C = 1 lines of the hinge."""
    n = np.log(sizes)
    ours = float(np.polyfit(n, np.log([row["ours_s"] for row in rows]), 1)[0])
    peer = float(np.polyfit(n, np.log([row["peer_s"] for row in rows]), 1)[0])
    work = f"exponent of time in n, hinge, C=1, n = {sizes[0]} to {sizes[-1]}"
    return {"work": work, "ours": ours, "peer": "SVC", "theirs": peer, "met": None}


def against_qp(n: int, rounds: int, bar: float | None) -> Row:
    """Give problem (11) of Grandvalet et al. (2008) to an interior-point QP solver."""
    import clarabel

    X, y = made(n)
    gamma = 1.0 / X.shape[1]
    rows = DoubleHinge(COSTS).rows(y)
    # Knots and slopes in the paper's letters: margins t > tau, weights C_i and D.
    t = np.where(y > 0, rows.knots[:, 1], -rows.knots[:, 0])
    tau = np.where(y > 0, rows.knots[:, 0], -rows.knots[:, 1])
    c = np.abs(rows.slopes[:, 1])
    d = COSTS.p_plus - COSTS.p_minus
    K = KernelRows(Kernel("rbf", gamma), X).matrix()
    upper = sparse.triu(sparse.csc_matrix(K * np.outer(y, y)), format="csc")
    P = sparse.block_diag([upper, sparse.csc_matrix((n, n))], format="csc")
    q = np.concatenate([-tau, tau - t])
    one, none = sparse.eye(n, format="csc"), sparse.csc_matrix((n, n))
    A = sparse.vstack(
        [
            sparse.csc_matrix(np.concatenate([y, np.zeros(n)])[np.newaxis]),
            sparse.hstack([none, -one]),
            sparse.hstack([none, one]),
            sparse.hstack([-one, one]),
            sparse.hstack([one, -one]),
        ],
        format="csc",
    )
    b = np.concatenate([[0.0], np.zeros(n), c, np.zeros(n), np.full(n, d)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(4 * n)]

    def solve_qp() -> Any:
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        return clarabel.DefaultSolver(P, q, A, b, cones, settings).solve()

    def fit() -> Any:
        model = DoubleHingeSVC(COSTS, gamma=gamma, tol=TOL, solver="decomposition")
        return model.fit(X, y)

    _, qp = timed(solve_qp)
    times, (model, qp) = alternate([fit, solve_qp], rounds)
    row = row_of(f"double hinge, n={n}, C=1", times[0], "Clarabel", times[1], bar)
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    problem = DualProblem(KernelRows(Kernel("rbf", gamma), X), rows)
    theirs = -float(qp.obj_val)
    row["worse"] = (theirs - problem.dual(beta)) / abs(theirs)
    row["note"] = "the peer is given the kernel matrix, ours computes it"
    return row


def prediction(n: int, bar: float | None) -> Row:
    """Score rows with the same number of support vectors on both sides."""
    X, y = made(n)
    gamma = 1.0 / X.shape[1]
    half = n // 2
    ours = HingeSVC(gamma=gamma, solver="decomposition").fit(X[:half], y[:half])
    peer = SVC(gamma=gamma).fit(X[:half], y[:half])
    times, _ = alternate(
        [lambda: ours.decision_function(X), lambda: peer.decision_function(X)], 5
    )
    work = f"decision_function, {len(ours.support_)} support vectors, {n} rows"
    row = row_of(work, times[0], "SVC", times[1], bar)
    row["rows_per_s"] = n / times[0]
    row["peer_rows_per_s"] = n / times[1]
    return row


IN_A_NEW_PROCESS = """
import json, resource, sys, time
import numpy as np
from solvers import HingeSVC
from tests.benchmarks.kernel_sets import made
import solvers.trainers.svm, solvers.dual.decomposition
X, y = made(int(sys.argv[1]))
start = time.perf_counter()
HingeSVC(gamma=0.05, solver="decomposition").fit(X, y)
spent = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seconds": spent, "peak": peak}))
"""


def in_a_new_process(n: int, numba_cache: str | None = None) -> dict[str, float]:
    """Return seconds of the first fit, imports apart, and the peak memory in bytes."""
    environment = dict(os.environ)
    if numba_cache is not None:
        environment["NUMBA_CACHE_DIR"] = numba_cache
    done = subprocess.run(
        [sys.executable, "-c", IN_A_NEW_PROCESS, str(n)],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def first_fits(n: int) -> list[Row]:
    """Time the first fit of a process with an empty and with a filled numba cache."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for state, most in (("empty", 6.0), ("filled", 0.6)):
            spent = in_a_new_process(n, cache)["seconds"]
            work = f"first fit of a process, n={n}, numba cache {state}"
            rows.append(
                {"work": work, "ours_s": spent, "bar": most, "met": spent <= most}
            )
    return rows


def memory(n: int) -> Row:
    """Measure the largest resident size of a process that fits n rows."""
    peak = in_a_new_process(n)["peak"]
    met = peak < 1e9 if n >= 50_000 else None
    return {
        "work": f"peak memory in GB, n={n}",
        "ours": peak / 1e9,
        "bar": 1.0,
        "met": met,
    }


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the lines of the benchmark; see the module's docstring."""
    curve: list[Row] = []
    sizes: list[int] = []
    for n, C, hinge_bar, double_bar, rounds in SIZES:
        if quick and n > QUICK_ROWS:
            continue
        X, y = made(n)
        bars = (hinge_bar, double_bar)
        rows = against_svc(
            f"made, n={n}", X, y, C, bars, min(rounds, 3 if quick else 5)
        )
        yield from rows
        if C == 1.0:
            curve.append(rows[0])
            sizes.append(n)
    yield exponents(curve, sizes)
    yield against_qp(1000 if quick else 2000, 3, None if quick else 300.0)
    yield prediction(2_000 if quick else 10_000, None)
    yield from first_fits(300)
    yield memory(5_000 if quick else 50_000)
    for name in REAL if data is not None and not quick else ():
        X, y = real(data, name)
        yield from against_svc(f"{name}, n={len(y)}", X, y, 1.0, (None, None), 1)


def main() -> int:
    """Run this benchmark alone and print its lines."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    for row in run(options.quick, options.data):
        print(json.dumps(row))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
