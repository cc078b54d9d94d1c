"""From grown trees to the plain arrays that score them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes
from solvers.boosting.tree_descent import Tree

__all__ = ["tree_arrays"]


def tree_arrays(trees: list[Tree], codes: Codes) -> dict[str, NDArray[Any]]:
    """Return the trees as ``solvers.scoring.forest.forest_of`` reads them."""
    sizes = np.array([len(tree.nodes) for tree in trees], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    nodes = np.concatenate(
        [np.zeros((0, 5), dtype=np.int64), *(t.nodes for t in trees)]
    )
    values = np.concatenate([np.zeros((0, 2)), *(t.values for t in trees)])
    offset = np.repeat(starts, sizes)
    feature, last, missing_left, left, right = nodes.T
    leaf = feature < 0
    ends = [np.append(cuts, np.inf) for cuts in codes.cuts]
    threshold = np.array(
        [0.0 if f < 0 else ends[f][k] for f, k in zip(feature, last, strict=True)]
    )
    return {
        "feature": np.maximum(feature, 0).astype(np.int32),
        "threshold": threshold.astype(np.float64),
        "left": np.where(leaf, -1, left + offset),
        "right": np.where(leaf, -1, right + offset),
        "missing_left": missing_left.astype(bool),
        "value": values[:, 0] + 1j * values[:, 1],
        "category": np.full(len(nodes), -1, dtype=np.int64),
        "left_codes": np.zeros((0, 256), dtype=bool),
        "roots": starts,
    }
