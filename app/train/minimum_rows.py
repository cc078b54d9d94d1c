"""Enough rows of both classes for every part that the rows are split into.

The training part needs ``FEWEST_TRAINING`` rows of each class (each fold of the
out-of-fold scores must train on both), every other part one. Rows that stay together
count once; a row of weight 0 counts as no row.

Landmarks are at most a tenth of the rows: so many has the smallest part that a machine
is fitted on, and where they are more, the exact machine is the quicker one.
"""

from collections.abc import Iterator

import numpy as np

from app.errors import FieldError
from app.errors.faults import at
from app.train.compatibility import promises
from app.train.plan import Candidate
from app.train.schemas import TrainRequest
from app.train.target import Sample

__all__ = ["FEWEST_TRAINING", "landmark_errors", "row_errors"]

FEWEST_TRAINING = 2
_ROWS_A_LANDMARK = 10


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


def landmark_errors(candidate: Candidate, sample: Sample) -> Iterator[FieldError]:
    """Yield where a candidate has more landmarks than a tenth of the rows."""
    trainer = candidate.request.trainer
    weight = sample.weight
    rows = len(sample.y) if weight is None else int((weight > 0).sum())
    for part in ("approximation", "reduction"):
        landmarks = getattr(getattr(trainer, part, None), "landmarks", 0)
        if landmarks * _ROWS_A_LANDMARK > rows:
            detail = (
                f"{landmarks} landmarks are more than a tenth of the {rows} rows of"
                f" positive weight: take at most {rows // _ROWS_A_LANDMARK}, or leave"
                f" {part} out, for the exact machine takes so few rows quickly"
            )
            yield FieldError(at(*candidate.place, part, "landmarks"), detail)
