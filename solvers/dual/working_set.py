"""Which rows the next block works on.

A block keeps most of its rows from one round to the next: those that joined last. The
places of the others go to the rows that contradict a common bias most, half of them
from above and half from below (Joachims 1999; Zanni, Serafini, Zanghirati 2006).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.dual.sweeps import above

__all__ = ["Block", "renew"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

# The violation shrinks from round to round, so look a little further than last time.
_MARGIN = 1.5


@dataclass(slots=True, eq=False)
class Block:
    """Rows in fixed places, and their kernel submatrix.

    Parameters
    ----------
    rows : (m,) int64
        Distinct rows of the problem.
    age : (m,) int64
        Rounds since a row was last chosen.
    matrix : (size, size + a few) float32 or float64
        Its leading (m, m) part is the kernel between the rows.
    reach_up, reach_down : float
        Which part of the violation's range the next violators are sought in first.
    """

    rows: Indices
    age: Indices
    matrix: NDArray[np.floating[Any]]
    reach_up: float = 1.0
    reach_down: float = 1.0

    @classmethod
    def empty(cls, size: int, dtype: np.dtype[np.floating[Any]]) -> "Block":
        """Return a block without rows, with room for ``size``."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, _square(size, dtype))

    @property
    def size(self) -> int:
        """Return how many rows there is room for."""
        return len(self.matrix)

    def grow(self, size: int) -> None:
        """Make room for ``size`` rows, keeping those that are there."""
        larger = _square(size, self.matrix.dtype)
        m = len(self.rows)
        larger[:m, :m] = self.matrix[:m, :m]
        self.matrix = larger


def _square(size: int, dtype: np.dtype[np.floating[Any]]) -> NDArray[np.floating[Any]]:
    # Rows a power of two apart share one set of the cache; some columns more do not.
    return np.empty((size, size + 16), dtype=dtype)


def renew(block: Block, up: Floats, down: Floats, keep: float) -> Indices:
    """Replace the oldest rows of a block by the widest violators.

    Parameters
    ----------
    block : Block
        Changed in place, except for its matrix.
    up, down : (n,) float64
        Lower and upper bound that each row puts on the bias.
    keep : float
        Share of the block's size that stays in any case.

    Returns
    -------
    (k,) int64
        The places with new rows, whose kernel entries are stale.
    """
    m = len(block.rows)
    by_age = np.argsort(block.age, kind="stable")
    staying = by_age[: min(m, int(keep * block.size))]
    chosen = _violators(block, up, down, block.rows[staying])
    inside = np.zeros(len(up), dtype=bool)
    inside[block.rows] = True
    fresh = np.sort(chosen[~inside[chosen]])
    inside[:] = False
    inside[chosen] = True
    chosen_again = inside[block.rows]
    block.age = np.where(chosen_again, 0, block.age + 1)
    leaving = by_age[len(staying) :]
    leaving = leaving[~chosen_again[leaving]]
    room = block.size - m
    added = min(room, len(fresh))
    replaced = np.sort(leaving[len(leaving) - (len(fresh) - added) :])
    places = np.concatenate([replaced, np.arange(m, m + added)])
    block.rows = np.concatenate([block.rows, np.empty(added, dtype=np.int64)])
    block.age = np.concatenate([block.age, np.zeros(added, dtype=np.int64)])
    block.rows[places] = fresh
    block.age[places] = 0
    return places


def _violators(block: Block, up: Floats, down: Floats, staying: Indices) -> Indices:
    """Return the rows that violate most, none of those staying, as many as fit."""
    room = block.size - len(staying)
    taken = np.zeros(len(up), dtype=bool)
    taken[staying] = True
    top, bottom = up.max(), down.min()
    first, block.reach_up = _widest(
        up, 1.0, bottom, top, taken, room // 2, block.reach_up
    )
    taken[first] = True
    room -= len(first)
    second, block.reach_down = _widest(
        down, -1.0, -top, -bottom, taken, room, block.reach_down
    )
    return np.concatenate([first, second])


def _widest(
    values: Floats,
    sign: float,
    least: float,
    most: float,
    taken: NDArray[np.bool_],
    count: int,
    reach: float,
) -> tuple[Indices, float]:
    """Return the indices of the ``count`` largest ``sign * values`` above ``least``.

    Only values in the upper ``reach`` of the range are sorted, when they suffice: about
    as many as last time. Also returns the reach for the next time.
    """
    found = np.empty(0, dtype=np.int64)
    if count > 0 and reach < 1.0:
        found = above(values, sign, most - reach * (most - least), taken)
    if len(found) < count:
        found = above(values, sign, least, taken)
    if len(found) > count:
        chosen = values[found]
        order = np.argpartition(chosen, count if sign < 0 else len(chosen) - count)
        found = found[order[:count] if sign < 0 else order[len(order) - count :]]
    if not 0 < count == len(found):
        return found, 1.0
    last = (sign * values[found]).min()
    return found, float(_MARGIN * (most - last) / (most - least))
