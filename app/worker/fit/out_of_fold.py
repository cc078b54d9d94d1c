"""Training rows scored by models that did not see them.

At random, every fold is scored by a model of all others. By time, the rows become
consecutive blocks, each scored by a model of all earlier ones: the first is not scored.
A trainer that learns nothing has seen no row: it scores them all as they are.
The scores come from the scorer in the form that is served, not from the estimator.

Where rounds are stopped early, each model would stop at rounds of its own luck, and be
sharper or flatter than the others: one calibration would fit none of them. So models
of the folds tell where they stop, and all models, the one that is served too, are
fitted on all of their rows with the mean of these numbers of rounds.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.part import Part
from app.evidence.scores import Evidence
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.worker.fit.job import Job
from app.worker.fit.partition import blocks_by_time, folds
from app.worker.fit.report import Report
from solvers.scoring import Outputs, load
from solvers.trainers.outside_scores import mean_rounds

__all__ = [
    "Known",
    "OutOfFold",
    "encode",
    "fit_and_score",
    "fit_once",
    "rounds_in_common",
    "score_unseen",
]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Bools = NDArray[np.bool_]

_NOT_BY_TIME = (
    "the training rows cannot be cut by time so that rows of both classes come before"
    " and after: thresholds and probabilities rest on folds drawn at random"
)


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Scores by models that did not see the row, and the fold of each such row.

    ``scored`` tells which of the training rows they are.
    """

    evidence: Evidence
    fold: Rows
    scored: Bools


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
        columns=job.columns,
        missing_native=job.builder.missing_native,
    )
    return Known(part, features, encode_table(features, table).matrix)


def rounds_in_common(job: Job, known: Known, report: Report) -> int | None:
    """Return how many rounds each model is fitted with; None where none stops early.

    The mean over models of the folds, each counted by its rows.
    """
    if not getattr(job.request.trainer, "early_stopping", False):
        return None
    turns, _, _ = _turns(job, known)
    rounds = [
        fit_once(job, known.only(fits), stretch).n_rounds_
        for (fits, _), stretch in zip(turns, _stretches(report, turns), strict=True)
    ]
    return mean_rounds(rounds, [fits.sum() for fits, _ in turns])


def score_unseen(
    job: Job, known: Known, report: Report, rounds: int | None = None
) -> OutOfFold:
    """Score rows by models fitted on the other folds, or on earlier rows.

    Its parameters are those of ``fit_once``, which fits each of the models.
    """
    turns, fold, scored = _turns(job, known)
    parts = []
    for (fits, out), stretch in zip(turns, _stretches(report, turns), strict=True):
        estimator = fit_once(job, known.only(fits), stretch, rounds)
        scorer = load(estimator.scorer_payload())
        parts.append((out[scored], scorer.outputs(known.matrix[out])))
    outputs = Outputs.scattered(parts, int(scored.sum()))
    part = known.part if scored.all() else known.part.only(scored)
    return OutOfFold(
        Evidence(part, outputs.score, outputs.reject_score, log_odds=outputs.log_odds),
        fold[scored],
        scored,
    )


def fit_and_score(job: Job, known: Known, report: Report) -> tuple[Any, OutOfFold]:
    """Fit a trainer that scores the rows of its folds by itself, and is fitted once.

    The folds, and the columns that they see, are those of ``score_unseen``.
    """
    turns, fold, scored = _turns(job, known)
    report.begin()
    taught = job.lesson(known.part, known.matrix)
    place = taught.position
    folds = [(np.flatnonzero(a[place]), np.flatnonzero(b[place])) for a, b in turns]
    estimator = job.estimator(known.features, report).set_params(cv=folds)
    taught.fit(estimator)
    scores = np.zeros(len(scored))
    # Both lessons of a doubtful row were scored by the same models.
    scores[place[estimator.oof_rows_]] = estimator.oof_scores_
    part = known.part if scored.all() else known.part.only(scored)
    evidence = Evidence(part, scores[scored], None, log_odds=None)
    return estimator, OutOfFold(evidence, fold[scored], scored)


def _turns(job: Job, known: Known) -> tuple[list[tuple[Bools, Bools]], Rows, Bools]:
    """Return who fits and who is scored in each turn; folds; which rows are scored."""
    rows, seed = known.part.rows, job.request.evaluation.seed
    every = np.ones(len(rows), dtype=np.bool_)
    if not job.builder.learns:
        return [(every, every)], np.zeros(len(rows), dtype=np.int64), every
    block = blocks_by_time(job.sample, rows)
    if block is not None:
        turns = [(block < b, block == b) for b in range(1, int(block.max()) + 1)]
        return turns, block - 1, block > 0
    if job.sample.moment is not None:
        warnings.warn(_NOT_BY_TIME, stacklevel=2)
    fold = folds(job.sample, rows, seed)
    turns = [(fold != k, fold == k) for k in range(int(fold.max()) + 1)]
    return turns, fold, every


def _stretches(report: Report, turns: Sequence[Any]) -> list[Report]:
    """Return the report of each turn."""
    n = len(turns)
    return [report.part(k / n, (k + 1) / n, f"fold {k + 1} of {n}") for k in range(n)]


def fit_once(job: Job, known: Known, report: Report, rounds: int | None = None) -> Any:
    """Return an estimator fitted on these rows.

    Parameters
    ----------
    job : Job
    known : Known
    report : Report
    rounds : int, optional
        Of ``rounds_in_common``: fit as many, on all rows, instead of stopping early.

    Raises
    ------
    Interrupted
        When the training is to stop.
    """
    report.begin()
    estimator = job.estimator(known.features, report)
    if rounds is not None:
        estimator.set_params(n_rounds=rounds, early_stopping=False)
    return job.lesson(known.part, known.matrix).fit(estimator)
