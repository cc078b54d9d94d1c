"""What a new process pays for a kernel machine: its first fit, and its memory."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["first_fits", "memory"]

Row = dict[str, Any]

IN_A_NEW_PROCESS = """
import json, sys, time
import numpy as np
from solvers import HingeSVC
from tests.benchmarks.kernel_sets import made
import solvers.trainers.svm, solvers.dual.decomposition
X, y = made(int(sys.argv[1]))
start = time.perf_counter()
HingeSVC(gamma=0.05, solver="decomposition").fit(X, y)
spent = time.perf_counter() - start
from tests.benchmarks.resident import peak_bytes
print(json.dumps({"seconds": spent, "peak": peak_bytes()}))
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
