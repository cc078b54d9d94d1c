"""Pair steps on a whole kernel matrix, and decomposition into blocks of rows.

Up to a few thousand rows, steps on the whole matrix are the fastest way. Above, each
round lowers the violation within a block of rows on their own small matrix, and
adds what changed to the gradient of all rows. Only that takes whole kernel rows, from
the cache, and only of rows whose weight has moved. Small blocks touch few rows, which
is all that an easy problem needs; 1024 rows do for most others. Where many rounds go
by, the weights are strongly coupled (large C), and larger blocks save more memory
traffic than their longer inner steps cost.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from solvers.dual.smo import pair_steps
from solvers.dual.state import PairState, Reporter
from solvers.dual.sweeps import TILE, extremes, mirror
from solvers.dual.working_set import Block, renew
from solvers.kernels import RowCache
from solvers.threads import even

__all__ = ["run_blocks", "run_pairs"]

Indices = NDArray[np.int64]

# (size, share kept, rows brought in, as a multiple of n, before the next size)
_STAGES = ((256, 0.75, 0.15), (1024, 0.5, 2.0), (2048, 0.8, np.inf))
# Within a block the violation falls to this part of what it was outside.
_INNER_PART = 0.15
# Element updates between two looks at the clock: about 50 ms.
_WORK_PER_CALL = 4e7


def run_pairs(
    K: NDArray[np.floating],
    state: PairState,
    tolerance: float,
    max_steps: int,
    tell: Callable[[float, int], None],
) -> int:
    """Step until the violation is at most ``tolerance``; return the steps made.

    Parameters
    ----------
    K : (n, n) float32 or float64
        The leading part of a larger array counts.
    state : PairState
        Changed in place.
    tolerance : float
    max_steps : int
    tell : callable (violation, steps)
        Called several times a second; may raise Interrupted.
    """
    chunk = int(_WORK_PER_CALL / len(state.beta)) + 1
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
        tell(violation, steps)
    return steps


def run_blocks(
    cache: RowCache,
    state: PairState,
    tolerance: float,
    max_steps: int,
    reporter: Reporter,
) -> int:
    """Step until the violation is at most ``tolerance``; return the steps made.

    Parameters
    ----------
    cache : RowCache
    state : PairState
        Changed in place.
    tolerance : float
    max_steps : int
    reporter : Reporter
        Told several times a second; may raise Interrupted.
    """
    n = len(state.beta)
    up, down = np.empty(n), np.empty(n)
    stage, brought, steps = 0, 0, 0
    block = Block.empty(_size(stage, n, cache), cache.source.dtype)
    while True:
        top, bottom = extremes(state.g, state.low, state.high, up, down)
        reporter.tell(top - bottom, steps)
        if top - bottom <= tolerance or steps >= max_steps:
            return steps
        _, keep, patience = _STAGES[stage]
        if brought > patience * n:
            stage, brought = stage + 1, 0
            block.grow(_size(stage, n, cache))
        places = renew(block, up, down, keep)
        brought += len(places)
        _refill(cache, block, places)
        target = max(_INNER_PART * (top - bottom), 0.5 * tolerance)
        steps += _inner(
            block,
            cache,
            state,
            target,
            max_steps - steps,
            reporter,
            top - bottom,
        )


def _size(stage: int, n: int, cache: RowCache) -> int:
    return min(_STAGES[stage][0], n, cache.capacity)


def _refill(cache: RowCache, block: Block, places: Indices) -> None:
    """Compute the kernel between the new rows and the whole block."""
    size = len(block.rows)
    new = np.zeros(size, dtype=np.bool_)
    new[places] = True

    def rows(share: tuple[int, int]) -> None:
        part = places[slice(*share)]
        cache.source.fill(
            block.rows[part], block.matrix, part, columns=block.rows, own=part
        )

    def lines(share: tuple[int, int]) -> None:
        mirror(block.matrix, *share, places, new)

    team = cache.team
    team.each(rows, even(len(places), team.size, cache.source.rows_at_once(size)))
    team.each(lines, even(size, team.size, TILE))


def _inner(
    block: Block,
    cache: RowCache,
    state: PairState,
    target: float,
    max_steps: int,
    reporter: Reporter,
    violation: float,
) -> int:
    def tell(_: float, steps: int) -> None:
        reporter.tell(violation, steps)

    rows = block.rows
    part = state.of(rows)
    before = part.beta.copy()
    steps = run_pairs(block.matrix, part, target, max_steps, tell)
    change = part.beta - before
    moved = np.flatnonzero(change)
    cache.add_to(state.g, rows[moved], change[moved])
    state.beta[rows] = part.beta
    state.low[rows] = part.low
    state.high[rows] = part.high
    return steps
