"""Forests and step functions as the arrays of one kind of forest.

=============  ==============================================================
feature        entry of x that a node looks at
threshold      x <= threshold goes left
left, right    index of the next node; -1 at a leaf
missing_left   whether a missing x goes left
category       row of ``sets`` for a split by category, else -1
sets           codes of categories that go left, a list a split
values         what a leaf adds, shape (n_nodes, 1 or 2)
roots          where each tree begins
=============  ==============================================================
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.scoring.forest import Forest
from solvers.scoring.stumps import StepFunctions

__all__ = ["of_forest", "of_step_functions"]

Floats = NDArray[np.float64]
_CODES = np.arange(256)


def of_forest(
    forest: Forest, categories: Iterable[tuple[int, Floats]]
) -> dict[str, Any]:
    """Return a forest's arrays.

    Parameters
    ----------
    forest : Forest
    categories : iterable of (column, ascending values)
        Columns that the forest reads by the place of their value in a list, missing
        where it is not there; the splits are told by the values themselves.
    """
    children = forest.children.reshape(-1, 2)
    leaf = children[:, 0] == np.arange(len(children))
    places = {column: np.searchsorted(values, _CODES) for column, values in categories}
    known = {column: np.isin(_CODES, values) for column, values in categories}
    category = np.full(len(leaf), -1)
    sets: list[list[int]] = []
    for node in np.flatnonzero(~leaf):
        column, table = int(forest.feature[node]), forest.category[node]
        if column in places:
            place = np.minimum(places[column], 255)
            goes = (
                forest.left_codes[table][place]
                if table >= 0
                else place <= forest.threshold[node]
            )
            goes = np.where(known[column], goes, forest.missing_left[node])
        elif table >= 0:
            goes = forest.left_codes[table]
        else:
            continue
        category[node] = len(sets)
        sets.append(np.flatnonzero(goes).tolist())
    values = forest.value[:, np.newaxis]
    if np.iscomplexobj(values):
        values = np.column_stack((values.real, values.imag))
    return {
        "feature": forest.feature,
        "threshold": np.where(leaf | (category >= 0), 0.0, forest.threshold),
        "left": np.where(leaf, -1, children[:, 0]),
        "right": np.where(leaf, -1, children[:, 1]),
        "missing_left": forest.missing_left,
        "category": category,
        "sets": sets,
        "values": np.where(leaf[:, np.newaxis], values, 0.0),
        "roots": forest.roots,
    }


def of_step_functions(steps: Sequence[StepFunctions], width: int) -> dict[str, Any]:
    """Return one tree a feature, each a search among its cuts.

    A missing value has a leaf of its own beside the root, since no number is above
    infinity.

    Parameters
    ----------
    steps : sequence of StepFunctions
    width : int
        Whether the leaves give h alone (1) or h and r (2).
    """
    nodes: list[tuple[int, float, int, int]] = []
    values: list[tuple[float, ...]] = []
    roots = []

    def add(feature: int, heights: tuple[float, ...]) -> int:
        nodes.append((feature, 0.0, -1, -1))
        values.append(heights)
        return len(nodes) - 1

    def grow(of: StepFunctions, first: int, last: int) -> int:
        if first == last:
            return add(of.feature, leaves[first])
        here = add(of.feature, nothing)
        middle = (first + last) // 2
        left, right = grow(of, first, middle), grow(of, middle + 1, last)
        nodes[here] = (of.feature, of.cuts[middle], left, right)
        return here

    nothing = (0.0,) * width
    for of in steps:
        leaves = list(zip(of.h.tolist(), of.r.tolist(), strict=True))
        leaves = [leaf[:width] for leaf in leaves]
        root = add(of.feature, nothing)
        known = grow(of, 0, len(of.cuts))
        missing = add(of.feature, leaves[-1])
        nodes[root] = (of.feature, np.inf, known, missing)
        roots.append(root)
    feature, threshold, left, right = np.array(nodes, dtype=float).reshape(-1, 4).T
    return {
        "feature": feature.astype(np.intp),
        "threshold": threshold,
        "left": left.astype(np.intp),
        "right": right.astype(np.intp),
        "missing_left": np.zeros(len(nodes), dtype=bool),
        "category": np.full(len(nodes), -1),
        "sets": [],
        "values": np.array(values).reshape(-1, width),
        "roots": np.array(roots, dtype=np.intp),
    }
