"""Kernel machines beside scikit-learn's SVC (LIBSVM) and a general QP solver.

    python -m tests.benchmarks.bench_kernel_machines [--quick] [--data FOLDER]

Gaussian kernel, gamma = 1 / n_features, tol = 1e-3; the peer has a cache of 2 GB, ours
its default of 200 MB. Both fit in turns in one process, after ours has been compiled,
and the ratio is that of the medians of ``repetitions``: fewer than planned where they
would take more than four minutes. ``worse`` is how far our dual objective stays below
the peer's, relative: it should never be above 1e-6.
"""

import argparse
import json
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
from tests.benchmarks.kernel_processes import first_fits, memory
from tests.benchmarks.kernel_sets import REAL, made, real

Row = dict[str, Any]
Floats = NDArray[np.float64]

COSTS = CostMatrix(1.0, 1.0, 0.3, 0.25)
TOL = 1e-3
MOST_SECONDS = 240.0

# rows, C, bar of the hinge, bar of the double hinge, repetitions
SIZES = (
    (1_000, 1.0, None, None, 5),
    (1_000, 100.0, None, None, 5),
    (5_000, 1.0, 5.0, 4.0, 5),
    (5_000, 100.0, None, 4.0, 5),
    (10_000, 1.0, None, 4.0, 3),
    (20_000, 1.0, 6.0, 4.0, 3),
    (20_000, 100.0, 2.6, 4.0, 2),
    (50_000, 1.0, 10.0, 4.0, 3),
)
QUICK_ROWS = 5_000
FITS_BESIDE_QP = 15
SCORED_ROWS = 4_000


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return seconds and result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def alternate(
    works: list[Callable[[], Any]], rounds: int, most_s: float = MOST_SECONDS
) -> tuple[list[float], list[Any], int]:
    """Run the works in turns; return each one's median seconds and last result.

    Also returns the rounds run: no round begins that would end after ``most_s``.
    """
    seconds: list[list[float]] = [[] for _ in works]
    results: list[Any] = [None] * len(works)
    began = time.perf_counter()
    done = 0
    while done < rounds:
        for place, work in enumerate(works):
            spent, results[place] = timed(work)
            seconds[place].append(spent)
        done += 1
        if (time.perf_counter() - began) * (done + 1) / done > most_s:
            break
    return [float(np.median(values)) for values in seconds], results, done


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
) -> tuple[list[Row], list[Any]]:
    """Fit hinge, double hinge and the peer's hinge in turns; return lines, machines."""
    gamma = 1.0 / X.shape[1]
    times, models, done = alternate(
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
    hinge["repetitions"] = double["repetitions"] = done
    return [hinge, double], models


def compiled() -> None:
    """Fit by pairs and by blocks, dense and sparse, so that all loops are compiled."""
    for n in (500, 3_000):
        X, y = made(n)
        for rows in (X, sparse.csr_matrix(np.where(X > 1.0, X, 0.0))):
            fitted = DoubleHingeSVC(COSTS, gamma=0.05, solver="decomposition")
            fitted.fit(rows, y).decision_function(rows[:100])


def exponents(rows: list[Row], sizes: list[int]) -> Row:
    """Return the fitted exponents of time in n, from the C = 1 lines of the hinge."""
    n = np.log(sizes)
    ours = float(np.polyfit(n, np.log([row["ours_s"] for row in rows]), 1)[0])
    peer = float(np.polyfit(n, np.log([row["peer_s"] for row in rows]), 1)[0])
    work = f"exponent of time in n, hinge, C=1, n = {sizes[0]} to {sizes[-1]}"
    told = {"work": work, "ours": ours, "peer": "SVC", "theirs": peer}
    return told | {"bar": None, "met": None}


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

    # A fit takes a thousandth of the peer's time: many of them stand beside one.
    ours, theirs_s = [], []
    for _ in range(rounds):
        model = fit()
        ours += [timed(fit)[0] for _ in range(FITS_BESIDE_QP)]
        spent, qp = timed(solve_qp)
        theirs_s.append(spent)
    times = [float(np.median(ours)), float(np.median(theirs_s))]
    row = row_of(f"double hinge, n={n}, C=1", times[0], "Clarabel", times[1], bar)
    row["repetitions"] = rounds
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    problem = DualProblem(KernelRows(Kernel("rbf", gamma), X), rows)
    theirs = -float(qp.obj_val)
    row["worse"] = (theirs - problem.dual(beta)) / abs(theirs)
    row["note"] = "the peer is given the kernel matrix, ours computes it"
    return row


def scoring(name: str, X: Any, ours: Any, peer: Any) -> Row:
    """Score rows by two fitted machines."""
    times, _, _ = alternate(
        [lambda: ours.decision_function(X), lambda: peer.decision_function(X)], 3
    )
    n = X.shape[0]
    vectors = f"{len(ours.support_)} and {len(peer.support_)} support vectors"
    work = f"decision_function, {name}, {n} rows, {vectors}"
    row = row_of(work, times[0], "SVC", times[1], None)
    row["rows_per_s"] = n / times[0]
    row["peer_rows_per_s"] = n / times[1]
    return row


def prediction(n: int) -> Row:
    """Score rows by machines fitted on half of them."""
    X, y = made(n)
    gamma, half = 1.0 / X.shape[1], n // 2
    ours = HingeSVC(gamma=gamma, solver="decomposition").fit(X[:half], y[:half])
    return scoring("made", X, ours, SVC(gamma=gamma).fit(X[:half], y[:half]))


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Yield the lines of the benchmark; see the module's docstring."""
    curve: list[Row] = []
    sizes: list[int] = []
    compiled()
    for n, C, hinge_bar, double_bar, rounds in SIZES:
        if quick and n > QUICK_ROWS:
            continue
        X, y = made(n)
        bars = (hinge_bar, double_bar)
        rows, _ = against_svc(
            f"made, n={n}", X, y, C, bars, min(rounds, 3 if quick else 5)
        )
        yield from rows
        if C == 1.0:
            curve.append(rows[0])
            sizes.append(n)
    yield exponents(curve, sizes)
    yield against_qp(1000 if quick else 2000, 3, None if quick else 300.0)
    yield prediction(2_000 if quick else 10_000)
    yield from first_fits(300)
    yield memory(5_000 if quick else 50_000)
    for name in REAL if data is not None and not quick else ():
        X, y = real(data, name)
        rows, models = against_svc(f"{name}, n={len(y)}", X, y, 1.0, (None, None), 1)
        yield from rows
        yield scoring(name, X[:SCORED_ROWS], models[0], models[2])


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
