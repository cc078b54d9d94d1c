"""Sums of regression trees, evaluated with NumPy alone.

    F(x) = base + v_1(x) + ... + v_T(x)

added from left to right, whatever the batch, so that a row's sum has the same bits
everywhere (and those of any program that adds in this order). Two numbers a leaf
travel as one complex value: complex addition is that of both parts.

A few rows are walked down all trees at once; many rows pass tree by tree, where each
node costs one comparison of a column. Trees of many nodes are always walked: a row
meets few of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Forest", "forest_of"]

Floats = NDArray[np.float64]

_FEW_ROWS = 256
_BLOCK = 4096
_MANY_NODES = 128


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees as arrays of one entry a node; see ``forest_of`` for the fields."""

    feature: NDArray[np.intp]
    threshold: Floats
    children: NDArray[np.intp]
    missing_left: NDArray[np.bool_]
    category: NDArray[np.intp]
    left_codes: NDArray[np.bool_]
    value: NDArray[Any]
    roots: NDArray[np.intp]
    depth: int
    nested: list[Any] | None
    """None where trees have many nodes."""

    def sums(self, X: Floats, base: Any) -> NDArray[Any]:
        """Return base plus the leaf values of all trees, shape (n_rows,)."""
        if len(X) <= _FEW_ROWS:
            return self._walk(X, base)
        total = np.full(len(X), base, dtype=self.value.dtype)
        if self.nested is None:
            for start in range(0, len(X), _FEW_ROWS):
                block = slice(start, start + _FEW_ROWS)
                total[block] = self._walk(X[block], base)
            return total
        for start in range(0, len(X), _BLOCK):
            columns = np.ascontiguousarray(X[start : start + _BLOCK].T)
            part = total[start : start + _BLOCK]
            for tree in self.nested:
                part += self._values(tree, columns)
        return total

    def goes_left(self, row: Floats) -> NDArray[np.bool_]:
        """Tell of each node whether one row would go left there, shape (n_nodes,)."""
        x = row[self.feature]
        left = x <= self.threshold
        if len(self.left_codes):
            left = np.where(
                self.category >= 0, self.left_codes[self.category, _codes(x)], left
            )
        return np.where(np.isnan(x), self.missing_left, left)

    def _walk(self, X: Floats, base: Any) -> NDArray[Any]:
        """Walk every row down every tree, level by level."""
        n_rows, n_trees = len(X), len(self.roots)
        missing = bool(np.isnan(X).any())
        flat = np.ascontiguousarray(X).ravel()
        offsets = np.arange(n_rows)[:, None] * X.shape[1]
        node = np.broadcast_to(self.roots, (n_rows, n_trees))
        for _ in range(self.depth):
            x = flat.take(offsets + self.feature.take(node))
            left = x <= self.threshold.take(node)
            if len(self.left_codes):
                table = self.category.take(node)
                found = self.left_codes[table, _codes(x)]
                left = np.where(table >= 0, found, left)
            if missing:
                left = np.where(np.isnan(x), self.missing_left.take(node), left)
            node = self.children.take(2 * node + ~left)
        terms = np.empty((n_rows, n_trees + 1), dtype=self.value.dtype)
        terms[:, 0] = base
        self.value.take(node, out=terms[:, 1:])
        return np.add.accumulate(terms, axis=1)[:, -1]

    def _values(self, tree: Any, columns: Floats) -> Any:
        """Return the leaf values of one nested tree, from columns of X."""
        if not isinstance(tree, tuple):
            return tree
        feature, threshold, missing_left, codes, left, right = tree
        x = columns[feature]
        if codes is not None:
            goes_left = np.where(np.isnan(x), missing_left, codes[_codes(x)])
        elif missing_left:
            goes_left = ~(x > threshold)
        else:
            goes_left = x <= threshold
        below = self._values(left, columns), self._values(right, columns)
        return np.where(goes_left, *below)


def _codes(x: Floats) -> NDArray[np.intp]:
    """Return codes of categories as indices; 0 for what is none (missing, or far)."""
    return np.where(np.abs(x) < 256.0, x, 0.0).astype(np.intp) & 255


def forest_of(trees: Mapping[str, Any]) -> Forest:
    """Return the forest of plain arrays.

    Parameters
    ----------
    trees : mapping of arrays of shape (n_nodes,)
        ``feature``; ``threshold`` (x <= threshold goes left); ``left`` and ``right``,
        indices of nodes, -1 at a leaf; ``missing_left``; ``value``, what a leaf adds;
        ``category``, a row of ``left_codes`` for a split by category, else -1. Also
        ``left_codes``, bool of shape (n_splits, 256): the codes that go left; and
        ``roots``, the node at which each tree begins.

    Raises
    ------
    ValueError
        When the arrays do not go together.
    """
    left = np.asarray(trees["left"], dtype=np.intp)
    right = np.asarray(trees["right"], dtype=np.intp)
    leaf = left < 0
    here = np.arange(len(left))
    children = np.where(leaf, here, left), np.where(leaf, here, right)
    arrays = {
        "feature": np.where(leaf, 0, np.asarray(trees["feature"], dtype=np.intp)),
        "threshold": np.asarray(trees["threshold"], dtype=np.float64),
        "missing_left": np.asarray(trees["missing_left"], dtype=bool),
        "category": np.where(leaf, -1, np.asarray(trees["category"], dtype=np.intp)),
        "left_codes": np.asarray(trees["left_codes"], dtype=bool).reshape(-1, 256),
        "value": np.asarray(trees["value"]),
        "roots": np.asarray(trees["roots"], dtype=np.intp),
    }
    per_node = ("feature", "threshold", "missing_left", "category", "value")
    if any(len(arrays[name]) != len(left) for name in per_node):
        msg = f"a forest of {len(left)} nodes has one entry a node in each array"
        raise ValueError(msg)
    few = len(left) <= _MANY_NODES * len(arrays["roots"])
    return Forest(
        children=np.stack(children, axis=1).ravel(),
        depth=_depth(arrays["roots"], left, right),
        nested=_nested(arrays, left, right) if few else None,
        **arrays,
    )


def _depth(
    roots: NDArray[np.intp], left: NDArray[np.intp], right: NDArray[np.intp]
) -> int:
    """Return how many comparisons the longest way down has.

    Raises
    ------
    ValueError
        When a way leads back to where it came from.
    """
    depth, here = 0, roots
    while len(here := here[left[here] >= 0]):
        depth += 1
        here = np.concatenate((left[here], right[here]))
        if depth > len(left):
            msg = "the nodes of a forest go in circles"
            raise ValueError(msg)
    return depth


def _nested(
    arrays: Mapping[str, Any], left: NDArray[np.intp], right: NDArray[np.intp]
) -> list[Any]:
    """Return each tree's root with all that is below it."""
    nested: list[Any] = [None] * len(left)
    # Children come after their parents, so that they are ready when read backwards.
    for node in range(len(left) - 1, -1, -1):
        if left[node] < 0:
            nested[node] = arrays["value"][node]
            continue
        table = arrays["category"][node]
        nested[node] = (
            int(arrays["feature"][node]),
            float(arrays["threshold"][node]),
            bool(arrays["missing_left"][node]),
            arrays["left_codes"][table] if table >= 0 else None,
            nested[left[node]],
            nested[right[node]],
        )
    return [nested[root] for root in arrays["roots"]]
