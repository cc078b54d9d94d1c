"""A search on two processes against the same search on one.

Both are clusters of this machine (``DEMUR_CLUSTER=local:N``), so that the same is sent
and fetched. The time is that of 36 of 40 fits: the first four find processes that are
starting, which takes some seconds, once for a search.
"""

import os
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from app.worker.fit.pipeline import run as train

BAR = 1.6
COLUMNS = 20
STARTED = 4


def run(quick: bool, data: Path | None) -> list[dict[str, Any]]:
    """Measure; see the module's words."""
    del data
    request = _request(2_000 if quick else 20_000)
    rounds = 1 if quick else 3
    seconds = {n: [_seconds(request, n) for _ in range(rounds)] for n in (1, 2)}
    one, two = median(seconds[1]), median(seconds[2])
    return [
        {
            "work": "fits of a search, s",
            "ours": two,
            "peer": "one process",
            "peer_value": one,
            "ratio": one / two,
            "bar": BAR,
            "met": one / two >= BAR,
        }
    ]


def _seconds(request: dict[str, Any], processes: int) -> float:
    """Return how long the fits take after the first."""
    seen: list[float] = []

    def progress(_fraction: float, message: str) -> bool:
        done = message.partition(" of ")[0] if "fits on folds" in message else "0"
        if int(done) >= STARTED:
            seen.append(time.perf_counter())
        return True

    os.environ["DEMUR_CLUSTER"] = f"local:{processes}"
    try:
        train(request, progress)
    finally:
        del os.environ["DEMUR_CLUSTER"]
    return seen[-1] - seen[0]


def _request(n: int) -> dict[str, Any]:
    """Return a search of eight candidates on five folds: forty fits."""
    drawn = np.random.default_rng(0)
    values = drawn.normal(size=(n, COLUMNS)).round(3)
    positive = values[:, :3].sum(axis=1) + drawn.normal(size=n) > 0
    rows = [
        [*row, "yes" if one else "no"]
        for row, one in zip(values.tolist(), positive, strict=True)
    ]
    return {
        "model": "m",
        "trainer": {"kind": "gradient-boosting"},
        "rule": {"kind": "chow", "reject_threshold": 0.2},
        "data": {
            "kind": "inline",
            "columns": [*(f"c{j}" for j in range(COLUMNS)), "y"],
            "rows": rows,
        },
        "target": {"column": "y", "positive": "yes"},
        "search": {"params": {"n_rounds": [100 + k for k in range(8)]}, "folds": 5},
    }
