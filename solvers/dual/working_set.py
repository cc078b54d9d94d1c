"""Which rows the next block works on.

A block keeps most of its rows from one round to the next: those that joined last. The
places of the others go to the rows that contradict a common bias most, half of them
from above and half from below (Joachims 1999; Zanni, Serafini, Zanghirati 2006).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "renew"]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


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
    """

    rows: Indices
    age: Indices
    matrix: NDArray[np.floating[Any]]

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
    chosen = _violators(up, down, block.size - len(staying), block.rows[staying])
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


def _violators(up: Floats, down: Floats, room: int, staying: Indices) -> Indices:
    """Return up to ``room`` rows that violate most, none of those staying."""
    top, bottom = up.max(), down.min()
    above = np.where(up > bottom, up, -np.inf)
    above[staying] = -np.inf
    first = _largest(above, room // 2)
    below = np.where(down < top, -down, -np.inf)
    below[staying] = -np.inf
    below[first] = -np.inf
    return np.concatenate([first, _largest(below, room - len(first))])


def _largest(values: Floats, count: int) -> Indices:
    """Return the indices of the ``count`` largest values above -inf."""
    if 0 < count < len(values):
        found = np.argpartition(values, len(values) - count)[len(values) - count :]
    else:
        found = np.arange(len(values) if count else 0)
    return found[values[found] > -np.inf]
