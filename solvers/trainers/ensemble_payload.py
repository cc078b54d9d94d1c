"""From fitted stumps and grown trees to the plain arrays that score them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.codes import Codes
from solvers.boosting.stumps import Stump
from solvers.boosting.tree_descent import Tree

__all__ = ["stump_payload", "tree_arrays"]


def stump_payload(
    kind: str,
    stumps: list[Stump],
    weights: NDArray[np.float64],
    importance: dict[str, NDArray[np.float64]],
) -> dict[str, Any]:
    """Return the payload of a stump ensemble.

    Parameters
    ----------
    kind : {"stumps", "adaboost-stumps"}
    stumps : list of Stump
    weights : ndarray of shape (len(stumps),)
    importance : dict of arrays of shape (n_features,)
        See ``solvers.boosting.importance``.
    """
    on_features = [s for s in stumps if s.feature is not None]
    used = np.array([s.feature is not None for s in stumps], dtype=bool)
    answers = {
        name: np.array([getattr(s, name) for s in on_features], dtype=np.int8)
        for name in ("left", "middle", "right", "missing")
    }
    return {
        "kind": kind,
        "n_features": len(importance["h"]),
        "feature": np.array([s.feature for s in on_features], dtype=np.int64),
        "lower": np.array([s.lower for s in on_features], dtype=np.float64),
        "upper": np.array([s.upper for s in on_features], dtype=np.float64),
        **answers,
        "weight": weights[used],
        "constant": float(weights[~used].sum()),
        "importance": importance,
    }


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
