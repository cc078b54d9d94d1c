"""A training from its request to a served model; no database, no HTTP.

The model that is served is the one that was evaluated. With ``refit`` it is fitted
once more on all rows, and the figures stay those of the model that had not seen the
held-out ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from app.artifacts.model import Labels, ServedModel
from app.datasets.store import DatasetStore
from app.evidence.evaluation import evaluate, no_evaluation
from app.evidence.scores import Evidence, score
from app.features.encoding import encode_table
from app.features.table import Table
from app.train.pairs import cost_matrix, rule_kind
from app.train.parsing import no_datasets, read_mapping
from app.train.schemas import DatasetData
from app.train.service import check
from app.worker.fit.fitting import Fitted, fit
from app.worker.fit.job import Job
from app.worker.fit.partition import Partition, partition
from app.worker.fit.report import Progress, Report
from app.worker.fit.summary import describe
from app.worker.fit.twins import twin_warnings
from solvers.rules.registry import RULES

__all__ = ["Trained", "run"]


@dataclass(frozen=True, slots=True)
class Trained:
    """The outcome of a training.

    Parameters
    ----------
    artifact : dict
        The model as plain data, and the evidence it rests on.
    summary : dict
        The JSON facts of the version.
    warnings : list of str
        What its user should know.
    """

    artifact: dict[str, Any]
    summary: dict[str, Any]
    warnings: list[str]


def run(
    request: Mapping[str, Any], progress: Progress, datasets: Path | None = None
) -> Trained:
    """Train what a request asks for.

    Parameters
    ----------
    request : mapping
        The decoded body of POST /train.
    progress : function (fraction, message) -> bool
        Called several times a second; False stops the training.
    datasets : Path, optional
        The folder of the data sets; without it only inline rows can be read.

    Raises
    ------
    InvalidRequestError
        When the request or its rows do not allow the training.
    Interrupted
        When ``progress`` returned False.
    """
    report = Report(progress)
    report.part(0.0, 0.02, "reading the rows").begin()
    stored = no_datasets if datasets is None else partial(_stored, datasets)
    submission = read_mapping(request, stored)
    sample = check(submission)
    asked = submission.request
    job = Job(asked, submission.table, sample, cost_matrix(asked.costs))
    promises = RULES[rule_kind(asked)].promises
    parts = partition(sample, asked.evaluation, promises=promises)
    until = 0.5 if asked.refit else 0.97
    fitted = fit(job, parts.training, parts.calibration, report.part(0.02, until, ""))
    report.part(until, 1.0, "evaluating").begin()
    evaluation, notes, held = _evaluated(job, fitted, parts)
    warnings = [*fitted.warnings, *notes]
    served = fitted
    if asked.refit:
        rows = np.sort(np.concatenate((parts.training, parts.holdout)))
        served = fit(
            job, rows, parts.calibration, report.part(0.5, 0.97, "on all rows")
        )
        warnings.append(
            "refit on all rows: the evaluation is that of the model fitted on the"
            " training part alone"
        )
    warnings = list(dict.fromkeys(warnings))
    return Trained(
        artifact={
            **_served(job, served).to_payload(),
            "evidence": {
                "split": parts.payload(),
                "out_of_fold": served.out_of_fold and served.out_of_fold.payload(),
                "holdout": None if held is None else held.payload(),
            },
        },
        summary=describe(job, served, evaluation, warnings),
        warnings=warnings,
    )


def _stored(datasets: Path, data: DatasetData) -> Table:
    store = DatasetStore(datasets)
    return store.read_table(store.find(data.id), data.columns)


def _served(job: Job, fitted: Fitted) -> ServedModel:
    return ServedModel(
        features=fitted.features,
        scorer=fitted.scorer,
        rule=fitted.rule.payload(),
        calibration=fitted.calibration,
        costs=job.costs,
        labels=Labels(job.sample.positive, job.sample.negative),
    )


def _evaluated(
    job: Job, fitted: Fitted, parts: Partition
) -> tuple[dict[str, Any], list[str], Evidence | None]:
    """Return the evaluation on the held-out part, its warnings, and the scores."""
    if not len(parts.holdout):
        return *no_evaluation(), None
    model = _served(job, fitted)
    matrix = encode_table(model.features, job.table.take(parts.holdout)).matrix
    evidence = score(model.scorer, matrix, job.part(parts.holdout))
    decisions = model.judge(matrix).decisions
    figures, warnings = evaluate(evidence, decisions, fitted.calibration, job.costs)
    more = job.builder.compare(
        fitted.estimator, matrix, job.target(evidence.part), evidence.part.weight
    )
    trained_on = encode_table(model.features, job.table.take(parts.training)).matrix
    warnings = [*warnings, *twin_warnings(trained_on, matrix)]
    return {**figures, **more}, warnings, evidence
