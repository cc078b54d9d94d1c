"""From fitted stumps to the plain data that scores them, with their importance."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.boosting.stumps import Stump
from solvers.scoring.base import load
from solvers.trainers.boosting_rows import TrainingRows

__all__ = ["stump_payload"]


def stump_payload(
    kind: str, stumps: list[Stump], weights: NDArray[np.float64], rows: TrainingRows
) -> dict[str, Any]:
    """Return the payload of a stump ensemble.

    Parameters
    ----------
    kind : {"stumps", "adaboost-stumps"}
    stumps : list of Stump
    weights : ndarray of shape (len(stumps),)
    rows : TrainingRows
        On which each feature's part is measured.
    """
    on_features = [s for s in stumps if s.feature is not None]
    used = np.array([s.feature is not None for s in stumps], dtype=bool)
    answers = {
        name: np.array([getattr(s, name) for s in on_features], dtype=np.int8)
        for name in ("left", "middle", "right", "missing")
    }
    payload: dict[str, Any] = {
        "kind": kind,
        "n_features": int(rows.X.shape[1]),
        "feature": np.array([s.feature for s in on_features], dtype=np.int64),
        "lower": np.array([s.lower for s in on_features], dtype=np.float64),
        "upper": np.array([s.upper for s in on_features], dtype=np.float64),
        **answers,
        "weight": weights[used],
        "constant": float(weights[~used].sum()),
        "importance": {},
    }
    payload["importance"] = _importance(payload, rows)
    return payload


_BLOCK = 65_536


def _blocks(rows: TrainingRows) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Yield X and weights of some rows at a time."""
    for start in range(0, len(rows.y), _BLOCK):
        here = slice(start, start + _BLOCK)
        yield rows.X[here], rows.weight[here]


def _importance(
    payload: dict[str, Any], rows: TrainingRows
) -> dict[str, NDArray[np.float64]]:
    """Return the mean size of each feature's terms, in blocks to spare memory.

    For h that is the mean distance from the term's own mean: a shift tells nothing.
    """
    scorer: Any = load(payload)
    n_features = payload["n_features"]
    h, r, rejected, centre = (np.zeros(n_features) for _ in range(4))
    mass, rejected_mass = float(rows.weight.sum()), 0.0
    for X, weight in _blocks(rows):
        centre += weight @ scorer.explain(X)["h"] / mass
    for X, weight in _blocks(rows):
        told = scorer.explain(X)
        h += weight @ np.abs(told["h"] - centre)
        if "r" in told:
            taken = -told["r"]
            r += weight @ taken
            lost = weight * (told["r_constant"] - taken.sum(axis=1) <= 0.0)
            rejected += lost @ taken
            rejected_mass += lost.sum()
    parts = {"h": h / mass}
    if payload["kind"] == "stumps":
        parts["r"] = r / mass
        parts["rejected"] = rejected / rejected_mass if rejected_mass else rejected
    return parts
