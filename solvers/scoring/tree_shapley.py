"""Exact Shapley values of a sum of trees, against one reference row.

A leaf of value v is reached by the row that mixes x and the reference b when every
column on its way down has a value that goes there. Columns whose value goes there for
both do not matter; where for one column neither does, the leaf is out of reach. With p
columns that have to be x's and q that have to be b's,

    phi_c =  v (p - 1)! q! / (p + q)!    for the p,
    phi_c = -v p! (q - 1)! / (p + q)!    for the q,

summed over the leaves (Lundberg et al. 2020, "interventional" with one reference). All
leaves are looked at at once: the cost of a row is that of the nodes, no more.
"""

from math import factorial

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.forest import Forest

__all__ = ["TreeGames"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class TreeGames:
    """The ways down to all leaves of a forest.

    Parameters
    ----------
    forest : Forest
    columns : ndarray of shape (n_encoded,), int
        The column that each encoded one belongs to.
    """

    def __init__(self, forest: Forest, columns: NDArray[np.intp]) -> None:
        self._forest, self._n_columns = forest, int(columns.max()) + 1
        steps = _steps(forest)
        column = columns[forest.feature[steps["node"]]]
        order = np.lexsort((column, steps["leaf"]))
        self._node, self._left = steps["node"][order], steps["left"][order]
        leaf, column = steps["leaf"][order], column[order]
        changes = (np.diff(leaf) != 0) | (np.diff(column) != 0)
        first = np.flatnonzero(np.append(True, changes)) if len(leaf) else leaf
        self._first, self._column = first, column[first]
        ends, self._place = np.unique(leaf[first], return_inverse=True)
        self._value = forest.value[ends]
        most = int(np.bincount(self._place).max()) if len(first) else 0
        self._share = np.zeros((most + 1, most + 1))  # of one of the p, by p and q
        for p in range(1, most + 1):
            for q in range(most + 1 - p):
                of = factorial(p - 1) * factorial(q) / factorial(p + q)
                self._share[p, q] = of

    def terms(self, x: Floats, b: Floats) -> NDArray[np.number]:
        """Return what each column adds on the way from b to x, shape (n_columns,)."""
        dtype = self._value.dtype
        if not len(self._first):
            return np.zeros(self._n_columns, dtype)
        of_x, of_b = (self._goes_there(row) for row in (x, b))
        n = len(self._value)
        p = np.bincount(self._place, of_x & ~of_b, n).astype(np.intp)
        q = np.bincount(self._place, of_b & ~of_x, n).astype(np.intp)
        out = np.bincount(self._place, ~of_x & ~of_b, n) > 0
        value = np.where(out, 0, self._value)
        gain = (self._share[p, q] * value)[self._place]
        loss = (self._share[q, p] * value)[self._place]
        each = np.where(of_x & ~of_b, gain, 0) - np.where(of_b & ~of_x, loss, 0)
        terms = np.zeros(self._n_columns, dtype)
        np.add.at(terms, self._column, each)
        return terms

    def _goes_there(self, row: Floats) -> Bools:
        """Tell of each column on each way whether the row's value goes down it."""
        agrees = self._forest.goes_left(row)[self._node] == self._left
        return np.logical_and.reduceat(agrees, self._first)


def _steps(forest: Forest) -> dict[str, NDArray[np.intp]]:
    """Return every step of every way from a root to a leaf: leaf, node and side."""
    leaf: list[int] = []
    node: list[int] = []
    left: list[bool] = []
    children = forest.children.reshape(-1, 2).tolist()
    waiting: list[tuple[int, tuple[tuple[int, bool], ...]]] = [
        (root, ()) for root in forest.roots.tolist()
    ]
    while waiting:
        here, way = waiting.pop()
        to_left, to_right = children[here]
        if to_left == here:
            leaf += [here] * len(way)
            node += [step for step, _ in way]
            left += [side for _, side in way]
        else:
            waiting.append((to_left, (*way, (here, True))))
            waiting.append((to_right, (*way, (here, False))))
    return {
        "leaf": np.array(leaf, dtype=np.intp),
        "node": np.array(node, dtype=np.intp),
        "left": np.array(left, dtype=np.intp),
    }
