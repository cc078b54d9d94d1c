"""What keeps a training process from harming anything but itself."""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

__all__ = ["THREAD_LIMITS", "die_with_parent", "yield_to_others"]

NICENESS = 10
EASY_TO_KILL = "500"
PR_SET_PDEATHSIG = 1

# read by BLAS, OpenMP and numba when they are first imported
THREAD_LIMITS = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when its parent ends, however it ends.

    Where the kernel cannot be asked, the end of the pipe to the parent must do.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before we asked
        os._exit(1)


def yield_to_others() -> None:
    """Run after whoever answers requests, and be the first to go when memory ends."""
    os.nice(NICENESS)
    with suppress(OSError):  # not Linux, or not allowed here
        Path("/proc/self/oom_score_adj").write_text(EASY_TO_KILL)
