"""Enough rows of both classes for every part that the rows are split into.

The training part needs ``FEWEST_TRAINING`` rows of each class (each fold of the
out-of-fold scores must train on both), every other part one. Rows that stay together
count once; a row of weight 0 counts as no row.
"""

import numpy as np

from app.errors import FieldError
from app.train.compatibility import promises
from app.train.schemas import TrainRequest
from app.train.target import Sample

__all__ = ["FEWEST_TRAINING", "row_errors"]

FEWEST_TRAINING = 2


def row_errors(request: TrainRequest, sample: Sample) -> list[FieldError]:
    """Return what the table lacks."""
    parts = FEWEST_TRAINING + (request.evaluation.holdout > 0)
    parts += promises(request)
    counted = (
        np.ones(len(sample.y), bool) if sample.weight is None else sample.weight > 0
    )
    faults = []
    even = 0.5 if sample.probabilities else 0.0
    for side, label, rows in (
        ("+1", sample.positive, sample.y > even),
        ("-1", sample.negative, sample.y <= even),
    ):
        found = rows & counted
        if sample.groups is None:
            n, thing = int(found.sum()), "rows"
        else:
            n, thing = len(np.unique(sample.groups[found])), "groups"
        if n < parts:
            faults.append(
                FieldError(
                    "/data/rows",
                    f"the label {label!r} ({side}) has {n} {thing} of positive weight,"
                    f" at least {parts} are needed for training, calibration and"
                    " evaluation",
                )
            )
    return faults
