"""What a training with a promise does differently.

A promise that is asked for again until it is given is none. So which rows train,
calibrate and evaluate, and every seed, follow from what the rows say (features and
label), in any order: the seed of the request has no part in it, and the same rows
promise the same.
"""

from dataclasses import replace

import numpy as np

from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.train.plan import TrainingPlan
from app.train.target import Sample
from app.worker.fit.job import Job
from solvers.rules.drawing import generator_of, row_keys
from solvers.trainers.alike import hang_together

__all__ = ["drawn_by_rows", "hanging_together"]

_MOST_ROWS = 20_000
"""Rows that are looked at for signs of groups: the first ones."""


def drawn_by_rows(
    sample: Sample, plan: TrainingPlan, table: Table
) -> tuple[Sample, TrainingPlan]:
    """Return the sample with keys, and the plan with a seed that follows from them.

    Parameters
    ----------
    sample : Sample
    plan : TrainingPlan
    table : Table
        All rows of the training.
    """
    columns = [table.columns[name] for name in sorted(sample.features)]
    keys = row_keys([*columns, sample.y])
    seed = int(generator_of(keys).integers(2**31))
    return replace(sample, keys=keys.view(np.int64)), plan.at_seed(seed)


def hanging_together(features: FeatureSchema, job: Job) -> list[str]:
    """Return a warning where rows look as if they came in groups and none are named."""
    if job.sample.groups is not None:
        return []
    rows = np.arange(min(len(job.sample.y), _MOST_ROWS))
    matrix = encode_table(features, job.table.take(rows)).matrix
    even = 0.5 if job.sample.probabilities else 0.0
    warning = hang_together(matrix, job.sample.y[rows] - even)
    return [] if warning is None else [warning]
