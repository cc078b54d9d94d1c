"""Models as the service makes them: the worker's function, called with the same body.

A POST /train's body goes to the function that the service's worker calls with it, and
its artifact decides: no second copy of the procedure that could drift from the served
one. All rows of the body train (``holdout`` 0).
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from app.artifacts.model import Judged, ServedModel
from app.features.encoding import encode_table
from app.features.table import Table
from app.worker.fit.pipeline import run
from experiments.loading import Floats, Rows
from solvers import CostMatrix

__all__ = ["columns_of", "judged", "served"]


def columns_of(width: int) -> list[str]:
    """Return what the features are called, in order."""
    return [f"x{j}" for j in range(width)]


def served(
    train: Rows, costs: CostMatrix, seed: int, **asked: Any
) -> tuple[ServedModel, dict[str, Any]]:
    """Train at these prices; return the model and the summary of its training.

    Parameters
    ----------
    train : Rows
    costs : CostMatrix
    seed : int
    **asked
        More members of the body: a trainer, a rule, a search.
    """
    X, y = train
    body = {
        "model": "experiment",
        "costs": asdict(costs),
        "data": {
            "kind": "inline",
            "columns": [*columns_of(X.shape[1]), "label"],
            "rows": np.column_stack([X, y]).tolist(),
        },
        "target": {"column": "label", "positive": 1},
        "evaluation": {"holdout": 0, "seed": seed},
        **asked,
    }
    trained = run(body, _go_on)
    return ServedModel.from_payload(trained.artifact), trained.summary


def judged(model: ServedModel, X: Floats) -> Judged:
    """Return how the service judges rows."""
    table = Table.from_rows(columns_of(X.shape[1]), X.tolist())
    return model.judge(encode_table(model.features, table).matrix)


def _go_on(fraction: float, message: str) -> bool:
    del fraction, message
    return True
