"""Sums of regression trees, evaluated with NumPy alone.

    F(x) = base + v_1(x) + ... + v_T(x)

added from left to right, whatever the batch, so that a row's sum has the same bits
everywhere (and those of any program that adds in this order). Two numbers a leaf
travel as one complex value: complex addition is that of both parts.

A few rows are walked down all trees at once; many rows pass tree by tree, where each
node costs one comparison of a column.
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
    nested: list[Any]

    def sums(self, X: Floats, base: Any) -> NDArray[Any]:
        """Return base plus the leaf values of all trees, shape (n_rows,)."""
        if len(X) <= _FEW_ROWS:
            return self._walk(X, base)
        total = np.full(len(X), base, dtype=self.value.dtype)
        for start in range(0, len(X), _BLOCK):
            columns = np.ascontiguousarray(X[start : start + _BLOCK].T)
            part = total[start : start + _BLOCK]
            for tree in self.nested:
                part += self._values(tree, columns)
        return total

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
                code = np.where(np.isnan(x), 0.0, x).astype(np.intp) & 255
                found = self.left_codes[table, code]
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
            missing = np.isnan(x)
            at = np.where(missing, 0.0, x).astype(np.intp) & 255
            goes_left = np.where(missing, missing_left, codes[at])
        elif missing_left:
            goes_left = ~(x > threshold)
        else:
            goes_left = x <= threshold
        below = self._values(left, columns), self._values(right, columns)
        return np.where(goes_left, *below)


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
    nested, depth = _nested(arrays, left, right)
    return Forest(
        children=np.stack(children, axis=1).ravel(),
        depth=int(depth[arrays["roots"]].max(initial=0)),
        nested=[nested[root] for root in arrays["roots"]],
        **arrays,
    )


def _nested(
    arrays: Mapping[str, Any], left: NDArray[np.intp], right: NDArray[np.intp]
) -> tuple[list[Any], NDArray[np.intp]]:
    """Return each node with all that is below it, and how deep that is."""
    nested: list[Any] = [None] * len(left)
    depth = np.zeros(len(left), dtype=np.intp)
    # Children come after their parents, so that they are ready when read backwards.
    for node in range(len(left) - 1, -1, -1):
        if left[node] < 0:
            nested[node] = arrays["value"][node]
            continue
        table = arrays["category"][node]
        below = left[node], right[node]
        nested[node] = (
            int(arrays["feature"][node]),
            float(arrays["threshold"][node]),
            bool(arrays["missing_left"][node]),
            arrays["left_codes"][table] if table >= 0 else None,
            nested[below[0]],
            nested[below[1]],
        )
        depth[node] = 1 + max(depth[below[0]], depth[below[1]])
    return nested, depth
