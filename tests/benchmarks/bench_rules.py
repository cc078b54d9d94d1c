"""Thresholds and densities beside a plain sort, a direct sum, and scikit-learn's ROC.

    python -m tests.benchmarks --only rules [--quick]

Two normal classes, 40 % of the rows +1, distinct scores. Ours is the whole ``fit`` of a
rule, checks included. Both programs take turns in one process; the ratio is that of
the medians, ours over the peer's for the sort, the peer's over ours elsewhere. The bar
in seconds is one for the shortest repetition: what else the machine does is not ours.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve

from solvers.costs import CostMatrix
from solvers.rules import (
    BoundedErrorRule,
    ExpectedCostRule,
    MutualInformationRule,
)
from solvers.rules.densities import ScoreDensities, estimate_densities

Row = dict[str, Any]
Floats = NDArray[np.float64]

SORT_BAR = 2.5
PARZEN_BAR_S = 0.050
COSTS = CostMatrix(1.0, 5.0, 0.5, 0.2)


def scored(n_rows: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return scores and labels -1, +1."""
    generator = np.random.default_rng(0)
    y = np.where(generator.random(n_rows) < 0.4, 1, -1)
    return y + generator.normal(size=n_rows), y


def in_turns(
    ours: Callable[[], Any], peer: Callable[[], Any] | None, repeats: int
) -> tuple[float, float | None]:
    """Return median seconds of both after one unmeasured call each."""
    programs = [ours] if peer is None else [ours, peer]
    seconds: list[list[float]] = [[] for _ in programs]
    for program in programs:
        program()
    for _ in range(repeats):
        for program, times in zip(programs, seconds, strict=True):
            start = time.perf_counter()
            program()
            times.append(time.perf_counter() - start)
    medians = [statistics.median(times) for times in seconds]
    return medians[0], medians[1] if peer is not None else None


def shortest(work: Callable[[], Any], repeats: int) -> float:
    """Return the seconds of the shortest of some repetitions."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def direct_sum(scores: Floats, densities: ScoreDensities, points: int) -> Floats:
    """Return the density of the scores at some grid points, score by score."""
    width = densities.positive.width
    chosen = densities.grid[:: max(1, len(densities.grid) // points)]
    return np.asarray(
        [np.exp(-0.5 * ((z - scores) / width) ** 2).sum() for z in chosen]
    )


def exact_information(n_rows: int, repeats: int) -> Row:
    """Time the exact optimum beside np.sort."""
    scores, y = scored(n_rows)
    rule = MutualInformationRule("exact")
    ours, peer = in_turns(lambda: rule.fit(scores, y), lambda: np.sort(scores), repeats)
    ratio = ours / (peer or np.nan)
    return {
        "work": f"exact MI optimum, {n_rows:,} scores",
        "ours_s": ours,
        "peer": "np.sort",
        "peer_s": peer,
        "ratio": ratio,
        "bar": f"<= {SORT_BAR} x",
        "met": ratio <= SORT_BAR if n_rows >= 10**6 else None,
    }


def parzen(n_rows: int, repeats: int) -> Row:
    """Time the densities of both classes beside a direct sum at ten points."""
    scores, y = scored(n_rows)
    positive = y == 1
    densities = estimate_densities(scores, positive)
    ours, peer = in_turns(
        lambda: estimate_densities(scores, positive),
        lambda: direct_sum(scores, densities, 10),
        repeats,
    )
    best = shortest(lambda: estimate_densities(scores, positive), 3 * repeats)
    # The direct sum is linear in its points: 1000 of them take 100 times ten.
    extrapolated = 100.0 * (peer or np.nan)
    return {
        "work": f"Parzen densities, {n_rows:,} scores",
        "ours_s": ours,
        "peer": "direct sum at 1000 points (from 10)",
        "peer_s": extrapolated,
        "ratio": extrapolated / ours,
        "shortest_s": best,
        "bar": f"< {PARZEN_BAR_S} s",
        "met": best < PARZEN_BAR_S if n_rows >= 10**6 else None,
    }


def others(n_rows: int, repeats: int) -> list[Row]:
    """Time rules that have no bar."""
    scores, y = scored(n_rows)
    roc, peer = in_turns(
        lambda: ExpectedCostRule(COSTS).fit(scores, y),
        lambda: roc_curve(y, scores),
        repeats,
    )
    fitted = ExpectedCostRule(COSTS).fit(scores, y)
    other = CostMatrix(1.0, 2.0, 0.3, 0.3)
    plain: list[tuple[str, Callable[[], Any]]] = [
        ("other costs from the ROC hull", lambda: fitted.at_costs(other)),
        ("MI optimum by Newton", lambda: MutualInformationRule().fit(scores, y)),
        ("bounded error", lambda: BoundedErrorRule(0.05).fit(scores, y)),
    ]
    rows: list[Row] = [
        {
            "work": f"least expected cost (roc), {n_rows:,} scores",
            "ours_s": roc,
            "peer": "sklearn roc_curve alone",
            "peer_s": peer,
            "ratio": (peer or np.nan) / roc,
            "bar": None,
            "met": None,
        }
    ]
    for name, work in plain:
        ours, _ = in_turns(work, None, repeats)
        work_of = f"{name}, {n_rows:,} scores"
        rows.append({"work": work_of, "ours_s": ours, "bar": None, "met": None})
    return rows


def run(quick: bool, data: Path | None = None) -> list[Row]:
    """Return the figures; ``data`` is not needed."""
    repeats = 7 if quick else 11
    rows = [exact_information(10**6, repeats), parzen(10**6, repeats)]
    if not quick:
        rows.append(exact_information(10**7, 5))
    return rows + others(10**5 if quick else 10**6, 3)


if __name__ == "__main__":
    for figures in run(quick=False):
        print(figures)
