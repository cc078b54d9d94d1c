"""From fitted stumps to the plain data that scores them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.stumps import Stump

__all__ = ["stump_payload"]


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
