"""Pair steps on the whole kernel matrix: the fastest way up to a few thousand rows."""

import numpy as np
from numpy.typing import NDArray

from solvers.dual.smo import pair_steps
from solvers.dual.state import PairState, Reporter

__all__ = ["run_pairs"]

# Element updates between two looks at the clock: about 50 ms.
_WORK_PER_CALL = 4e7


def run_pairs(
    K: NDArray[np.floating],
    state: PairState,
    tolerance: float,
    max_steps: int,
    reporter: Reporter,
) -> int:
    """Step until the violation is at most ``tolerance``; return the steps made.

    Parameters
    ----------
    K : (n, n) float32 or float64
    state : PairState
        Changed in place.
    tolerance : float
    max_steps : int
    reporter : Reporter
        Told several times a second; may raise Interrupted.
    """
    chunk = int(_WORK_PER_CALL / len(K)) + 1
    steps, violation = 0, np.inf
    while violation > tolerance and steps < max_steps:
        made, violation = pair_steps(
            K,
            state.diagonal,
            state.levels,
            state.breaks,
            state.beta,
            state.g,
            state.low,
            state.high,
            tolerance,
            min(chunk, max_steps - steps),
        )
        steps += made
        reporter.tell(violation, steps)
    return steps
