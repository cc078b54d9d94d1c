"""Pair steps on the whole kernel matrix: the fastest way up to a few thousand rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.dual.pairs import pair_steps, rough_steps
from solvers.dual.state import PairState, Reporter
from solvers.kernels.sums import add_rows

__all__ = ["add_change", "run_pairs"]

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
    # Rough steps first. Where float32 ends before the tolerance, the others go on.
    rough = K.dtype == np.float32
    while violation > tolerance and steps < max_steps:
        allowed = min(chunk, max_steps - steps)
        before = state.beta.copy()
        walk = rough_steps if rough else pair_steps
        made, violation = walk(
            K,
            state.diagonal,
            state.levels,
            state.breaks,
            state.beta,
            state.g,
            state.low,
            state.high,
            tolerance,
            allowed,
        )
        steps += made
        reporter.tell(violation, steps)
        if rough:
            add_change(state.g, K, state.beta - before)
            rough = made > 0
            violation = (state.low - state.g).max() - (state.high - state.g).min()
    return steps


def add_change(
    g: NDArray[np.float64],
    K: NDArray[np.floating[Any]],
    change: NDArray[np.float64],
) -> None:
    """Add to the gradient what weights have changed by, in float64."""
    moved = np.flatnonzero(change)
    add_rows(g, K, moved, change[moved], 0, len(g))
