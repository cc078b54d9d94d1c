"""Fit a model on some rows, as it will be served.

    features, from these rows alone
      -> scores of every row by a model that did not see it (folds)
      -> calibration, and the rule where it learns from scores
      -> the scorer, fitted on all of these rows

The scores come from the scorer in the form that is served, not from the estimator.
"""

from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.train.pairs import rule_kind
from app.train.schemas import TrainRequest
from app.train.target import Sample
from app.worker.fit.builders import BUILDERS, Builder
from app.worker.fit.part import Part, take
from app.worker.fit.partition import folds
from app.worker.fit.report import Report
from app.worker.fit.scores import Evidence, calibrate, fit_rule, score
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.base import FittedByScores
from solvers.rules.registry import RULES
from solvers.scoring import Scorer, load

__all__ = ["Fitted", "Job", "fit"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """What every step of one training reads: request, table and special columns."""

    request: TrainRequest
    table: Table
    sample: Sample
    costs: CostMatrix | None

    @property
    def builder(self) -> Builder:
        """Return how the trainer is built."""
        return BUILDERS[self.request.trainer.kind]

    def part(self, rows: Rows) -> Part:
        """Return these rows, at the share of +1 in use."""
        return take(self.sample, rows, self.request.prevalence)

    def estimator(self, report: Report) -> Any:
        """Return a fresh estimator that reports its progress."""
        request = self.request
        made = self.builder.make(request.trainer, self.costs, request.evaluation.seed)
        made._progress = report  # noqa: SLF001 - the trainers' agreed private door
        return made

    def target(self, part: Part) -> Floats:
        """Return what the estimator learns: labels, or probabilities of +1."""
        if self.sample.probabilities:
            return part.positive
        return np.where(part.positive > 0.5, 1.0, -1.0)


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Scores by models that did not see the row, and the fold of each row."""

    evidence: Evidence
    fold: Rows

    def payload(self) -> dict[str, Any]:
        """Return the scores as plain data."""
        return {**self.evidence.payload(), "fold": self.fold}


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A model and what it was fitted on.

    Parameters
    ----------
    part : Part
    features, scorer, calibration, rule
        What is served.
    out_of_fold : OutOfFold or None
        None where neither the rule nor a calibration was fitted on scores.
    estimator : estimator
        The fitted trainer, of which the scorer is the served form.
    warnings : list of str
    """

    part: Part
    features: FeatureSchema
    scorer: Scorer
    calibration: Calibration
    rule: FittedByScores
    out_of_fold: OutOfFold | None
    estimator: Any
    warnings: list[str]


def fit(job: Job, rows: Rows, promised_on: Rows, report: Report) -> Fitted:
    """Fit a model on these rows.

    Parameters
    ----------
    job : Job
    rows : ndarray of int
        The training part.
    promised_on : ndarray of int
        The calibration part of a rule that gives a promise; empty for others.
    report : Report

    Raises
    ------
    InvalidRequestError
        When these rows cannot be fitted as asked.
    Interrupted
        When the training is to stop.
    """
    report.begin()
    part = job.part(rows)
    features, matrix = _encode(job, rows)
    learns = RULES[rule_kind(job.request)].learns
    link = job.builder.link
    unseen = None
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        if learns or link is None:
            unseen = _out_of_fold(job, part, matrix, report.part(0.0, 0.75, ""))
        estimator = _fit_one(job, part, matrix, report.part(0.75, 0.98, "fitting"))
    scorer = load(estimator.scorer_payload())
    calibration = _calibration(link and link(estimator), unseen)
    warnings = list(dict.fromkeys(str(warning.message) for warning in caught))
    report.part(0.98, 1.0, "choosing the thresholds").begin()
    evidence: Evidence | None = None
    if len(promised_on):
        kept = encode_table(features, job.table.take(promised_on)).matrix
        evidence = score(scorer, kept, job.part(promised_on))
    elif learns and unseen is not None:
        evidence = unseen.evidence
    rule = fit_rule(job.request, job.costs, calibration, evidence)
    facts = rule.payload()
    if facts.get("feasible") is False:
        warnings.append(f"every row is rejected: {facts['promise']}")
    return Fitted(
        part=part,
        features=features,
        scorer=scorer,
        calibration=calibration,
        rule=rule,
        out_of_fold=unseen,
        estimator=estimator,
        warnings=[*warnings, *calibration.notes, *job.builder.notes(estimator)],
    )


def _calibration(slope: float | None, unseen: OutOfFold | None) -> Calibration:
    """Return the scorer's own link, or a curve through out-of-fold scores."""
    if slope is not None:
        return Calibration.link(slope)
    if unseen is None:
        msg = "a scorer without a link is calibrated on out-of-fold scores"
        raise ValueError(msg)
    return calibrate(unseen.evidence)


def _encode(job: Job, rows: Rows) -> tuple[FeatureSchema, Floats]:
    table = job.table.take(rows)
    features = FeatureSchema.fit(
        table,
        columns=job.sample.features,
        missing_native=job.builder.missing_native,
    )
    return features, encode_table(features, table).matrix


def _out_of_fold(job: Job, part: Part, matrix: Floats, report: Report) -> OutOfFold:
    """Score every row by a model fitted on the other folds."""
    fold = folds(job.sample, part.rows, job.request.evaluation.seed)
    scores = np.empty(len(fold))
    rejects: Floats | None = None
    n_folds = int(fold.max()) + 1
    for k in range(n_folds):
        out = fold == k
        stretch = report.part(
            k / n_folds, (k + 1) / n_folds, f"fold {k + 1} of {n_folds}"
        )
        estimator = _fit_one(job, _only(part, ~out), matrix[~out], stretch)
        scorer = load(estimator.scorer_payload())
        scores[out] = scorer.score(matrix[out])
        seen = scorer.reject_scores(matrix[out])
        if seen is not None:
            rejects = np.empty(len(fold)) if rejects is None else rejects
            rejects[out] = seen
    return OutOfFold(Evidence(part, scores, rejects), fold)


def _only(part: Part, kept: NDArray[np.bool_]) -> Part:
    return Part(part.rows[kept], part.positive[kept], part.weight[kept], part.weighted)


def _fit_one(job: Job, part: Part, matrix: Floats, report: Report) -> Any:
    report.begin()
    estimator = job.estimator(report)
    return estimator.fit(matrix, job.target(part), sample_weight=part.sample_weight)
