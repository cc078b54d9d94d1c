"""Every training row scored by a model that did not see it.

The scores come from the scorer in the form that is served, not from the estimator.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.part import Part
from app.evidence.scores import Evidence
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.worker.fit.job import Job
from app.worker.fit.partition import folds
from app.worker.fit.report import Report
from solvers.scoring import Outputs, load

__all__ = ["Known", "OutOfFold", "encode", "fit_once", "score_unseen"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Scores by models that did not see the row, and the fold of each row."""

    evidence: Evidence
    fold: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Rows with their encoded columns, and the schema that encodes them."""

    part: Part
    features: FeatureSchema
    matrix: Floats

    def only(self, kept: NDArray[np.bool_]) -> "Known":
        """Return some of the rows."""
        return Known(self.part.only(kept), self.features, self.matrix[kept])


def encode(job: Job, part: Part) -> Known:
    """Learn the features from these rows alone, and encode them."""
    table = job.table.take(part.rows)
    features = FeatureSchema.fit(
        table,
        columns=job.sample.features,
        missing_native=job.builder.missing_native,
    )
    return Known(part, features, encode_table(features, table).matrix)


def score_unseen(job: Job, known: Known, report: Report) -> OutOfFold:
    """Score every row by a model fitted on the other folds."""
    fold = folds(job.sample, known.part.rows, job.request.evaluation.seed)
    parts = []
    n_folds = int(fold.max()) + 1
    for k in range(n_folds):
        out = fold == k
        stretch = report.part(
            k / n_folds, (k + 1) / n_folds, f"fold {k + 1} of {n_folds}"
        )
        estimator = fit_once(job, known.only(~out), stretch)
        scorer = load(estimator.scorer_payload())
        parts.append((out, scorer.outputs(known.matrix[out])))
    told = Outputs.scattered(parts, len(fold))
    return OutOfFold(
        Evidence(known.part, told.score, told.reject_score, log_odds=told.log_odds),
        fold,
    )


def fit_once(job: Job, known: Known, report: Report) -> Any:
    """Return an estimator fitted on these rows.

    Raises
    ------
    Interrupted
        When the training is to stop.
    """
    report.begin()
    part = known.part
    estimator = job.estimator(known.features, report)
    return estimator.fit(
        known.matrix,
        job.target(part),
        sample_weight=part.sample_weight,
        **job.fit_options(part),
    )
