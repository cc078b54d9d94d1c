"""A model that nobody trained: a kernel machine on random support vectors."""

from typing import Any

import numpy as np

from app.artifacts.model import Label, Labels, ServedModel
from app.features.schema import FeatureSchema
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring import load
from solvers.scoring.kernel_machine import kernel_machine_payload

__all__ = ["COSTS", "kernel_model"]

COSTS = CostMatrix(1.0, 5.0, 0.6, 0.3)


def kernel_model(
    features: FeatureSchema,
    rule: dict[str, Any] | None = None,
    *,
    costs: CostMatrix | None = COSTS,
    calibration: Calibration | None = None,
    labels: tuple[Label, Label] = ("yes", "no"),
    seed: int = 2,
    n_vectors: int = 40,
) -> ServedModel:
    """Return the model; it rejects a part of the rows."""
    draw = np.random.default_rng(seed)
    scorer = load(
        kernel_machine_payload(
            {"kind": "rbf", "gamma": 0.1},
            draw.normal(size=(n_vectors, features.n_encoded)),
            3.0 * draw.normal(size=n_vectors),
            -1.0,
        )
    )
    lower, upper = COSTS.thresholds
    return ServedModel(
        features=features,
        scorer=scorer,
        rule=rule or {"kind": "plug-in", **Band(lower, upper).payload()},
        calibration=calibration or Calibration("sigmoid", slope=1.3, intercept=-0.2),
        costs=costs,
        labels=Labels(*labels),
    )
