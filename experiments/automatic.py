"""A choice between three trainers by their costs, as the service makes it.

The body of a POST /train goes to the function that the service's worker calls with
it, and its artifact decides the test rows: no second copy of the procedure that could
drift from the served one. All rows of the body train (``holdout`` 0).
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.artifacts.model import ServedModel
from app.features.encoding import encode_table
from app.features.table import Table
from app.worker.fit.pipeline import run
from experiments.loading import Floats, Rows
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
    X, y = train
    features = [f"x{j}" for j in range(X.shape[1])]
    body = {
        "model": "auto",
        "search": {"candidates": _CANDIDATES},
        "costs": asdict(costs),
        "data": {
            "kind": "inline",
            "columns": [*features, "label"],
            "rows": np.column_stack([X, y]).tolist(),
        },
        "target": {"column": "label", "positive": 1},
        "evaluation": {"holdout": 0, "seed": seed},
    }
    trained = run(body, _go_on)
    model = ServedModel.from_payload(trained.artifact)
    table = Table.from_rows(features, X_test.tolist())
    decisions = model.judge(encode_table(model.features, table).matrix).decisions
    winner: dict[str, Any] = trained.summary["search"]["table"][0]
    return Automatic(decisions, winner["trainer"], winner["rule"], winner["mean"])


def _go_on(fraction: float, message: str) -> bool:
    del fraction, message
    return True
