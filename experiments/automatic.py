"""A choice between three trainers by their costs, as the service makes it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.loading import Floats, Rows
from experiments.served import judged, served
from solvers import CostMatrix

__all__ = ["Automatic", "automatic"]


_C = {"C": [0.1, 1.0, 10.0]}
_CANDIDATES = [
    {"kind": "double-hinge-svm", "params": _C},
    {"kind": "svm", "params": _C},
    {"kind": "gradient-boosting"},
]


@dataclass(frozen=True, slots=True, eq=False)
class Automatic:
    """What the choice decided, by which trainer and rule, and what they had promised.

    ``promised`` is the winner's mean cost on the folds that chose it.
    """

    decisions: NDArray[np.int8]
    trainer: str
    rule: str
    promised: float


def automatic(train: Rows, X_test: Floats, costs: CostMatrix, seed: int) -> Automatic:
    """Train on one part at these prices, and decide the other."""
    model, summary = served(train, costs, seed, search={"candidates": _CANDIDATES})
    winner: dict[str, Any] = summary["search"]["table"][0]
    decisions = judged(model, X_test).decisions
    return Automatic(decisions, winner["trainer"], winner["rule"], winner["mean"])
