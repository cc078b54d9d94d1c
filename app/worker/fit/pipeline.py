"""A training from its request to a served model; no database, no HTTP.

The model that is served is the one that was evaluated. With ``refit`` it is fitted
once more on all rows, and the figures stay those of the model that had not seen the
held-out ones.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from app.artifacts.model import Labels, ServedModel
from app.blobs.interface import Place
from app.datasets.store import DatasetStore
from app.evidence.evaluation import evaluate, no_evaluation
from app.evidence.notes import notes_on_scores
from app.evidence.scores import Evidence, score
from app.evidence.stored import Stored
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.guards.tables import guarded_rows
from app.train.parsing import no_datasets, read_mapping
from app.train.schemas import DatasetData
from app.train.service import check
from app.train.target import read_sample
from app.worker.fit.fitting import Fitted, fit
from app.worker.fit.identifiers import group_warnings, identifier_warnings
from app.worker.fit.influence import influence
from app.worker.fit.job import Job
from app.worker.fit.leakage import repeat_warnings
from app.worker.fit.oddities import oddities
from app.worker.fit.partition import Partition, partition
from app.worker.fit.promising import drawn_by_rows, hanging_together
from app.worker.fit.report import Progress, Report
from app.worker.fit.search.kept import Kept
from app.worker.fit.search.run import search
from app.worker.fit.summary import describe
from solvers.calibration import Calibration
from solvers.scoring import Outputs

__all__ = ["Trained", "run"]

_SHOWN_COLUMNS = 10


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
    request: Mapping[str, Any],
    progress: Progress,
    datasets: Place | None = None,
    planned: Mapping[str, Any] | None = None,
    kept: Kept | None = None,
) -> Trained:
    """Train what a request asks for.

    Parameters
    ----------
    request : mapping
        The decoded body of POST /train.
    progress : function (fraction, message) -> bool
        Called several times a second; False stops the training.
    datasets : Path or Remote, optional
        The folder of the data sets; without it only inline rows can be read.
    planned : mapping, optional
        The plan that was stored with the job; without it one is made.
    kept : Kept, optional
        What an earlier attempt has found of the candidates of a search.

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
    submission = read_mapping(request, stored, planned)
    sample = read_sample(submission) if submission.checked else check(submission)
    plan = submission.plan
    if plan.promises:
        sample, plan = drawn_by_rows(sample, plan, submission.table)
    asked, tried = plan.request, plan.candidates
    job = Job(plan, tried[0].request, submission.table, sample)
    parts = partition(sample, asked.evaluation, promises=plan.promises)
    begin, searched = 0.02, None
    if asked.search is not None:
        stretch = report.part(begin, 0.7, "")
        folds = asked.search.folds
        searched = search(job, tried, folds, parts.training, stretch, kept or Kept())
        job, begin = searched.job, 0.7
    until = (begin + 0.98) / 2 if asked.refit else 0.97
    fitted = fit(job, parts.training, parts.calibration, report.part(begin, until, ""))
    report.part(until, 1.0, "evaluating").begin()
    seen = _evaluated(job, fitted, parts)
    seen.lasting.extend(_warnings_on_rows(job, fitted.features, parts, datasets))
    served = fitted
    if asked.refit:
        served = _refitted(job, parts, report.part(until, 0.97, "on all rows"))
        seen.lasting.append(
            "refit on all rows: the evaluation is that of the model fitted on the"
            " training part alone"
        )
    all_warnings = (
        *([] if searched is None else searched.warnings),
        *fitted.warnings,
        *fitted.rule_warnings,
        *seen.warnings,
        *seen.lasting,
    )
    warnings = list(dict.fromkeys(all_warnings))
    return Trained(
        artifact={
            **_served(job, served).to_payload(),
            "evidence": _kept(job, served, parts, seen).payload(),
        },
        summary={
            **describe(job, served, seen.figures, warnings),
            "influence": seen.influence,
            "search": None if searched is None else searched.facts,
        },
        warnings=warnings,
    )


def _warnings_on_rows(
    job: Job, features: FeatureSchema, parts: Partition, datasets: Place | None
) -> Iterator[str]:
    """Yield what is odd about the rows, whatever the model."""
    if job.builder.learns:  # who learnt from no row flatters none that is equal
        yield from repeat_warnings(features, job.table, parts)
    yield from identifier_warnings(features, job.table)
    if job.sample.groups is None:
        yield from _ungrouped(job, datasets)
    yield from oddities(job.table, job.sample, job.columns)
    yield from _left_out(job)
    if job.plan.promises:
        yield from hanging_together(features, job)


def _refitted(job: Job, parts: Partition, report: Report) -> Fitted:
    """Fit again, on the rows of the evaluation too."""
    rows = np.sort(np.concatenate((parts.training, parts.holdout)))
    return fit(job, rows, parts.calibration, report)


def _left_out(job: Job) -> list[str]:
    """Return a warning that names the features which the trainer does not read."""
    priced = job.prices.columns if job.prices else ()
    read = {*job.columns, *priced}
    unread = [name for name in job.sample.features if name not in read]
    if not unread:
        return []
    some = ", ".join(map(repr, unread[:_SHOWN_COLUMNS]))
    more = len(unread) - _SHOWN_COLUMNS
    return [
        f"the trainer {job.request.trainer.kind} reads {job.columns[0]!r} alone; left"
        f" out: {some}{f' and {more} more' if more > 0 else ''}"
    ]


def _ungrouped(job: Job, datasets: Place | None) -> list[str]:
    """Return a warning for each column that may hold the groups which nobody named."""
    names, read = job.table.names, job.columns
    beside = set(job.sample.features) - set(read)
    left_out = iter([job.table.without(name for name in names if name not in beside)])
    data = job.request.data
    if isinstance(data, DatasetData) and datasets is not None:
        store = DatasetStore(datasets)
        left_out = chain(left_out, store.read_beside(store.find(data.id), names))
    table = job.table.without(name for name in names if name not in read)
    return group_warnings(table, left_out)


def _stored(datasets: Place, data: DatasetData) -> Table:
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
        guards=fitted.guards,
        rating=job.rating(fitted.estimator),
        row_prices=job.prices,
        typical=fitted.typical,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What the held-out rows say.

    Parameters
    ----------
    figures : dict
    warnings : list of str
        Those that follow from rule and costs.
    lasting : list of str
        Those that do not.
    evidence : Evidence or None
        The scores of the held-out rows.
    calibration : Calibration
        Of the model that gave them.
    influence : dict
        What its probability hangs on.
    """

    figures: dict[str, Any]
    warnings: list[str]
    lasting: list[str]
    evidence: Evidence | None
    calibration: Calibration
    influence: dict[str, float]


def _kept(job: Job, served: Fitted, parts: Partition, seen: _Seen) -> Stored:
    """Return what the artifact keeps beside the model."""
    unseen, part = served.out_of_fold, served.part
    return Stored(
        asked=job.request.model_copy(update={"guards": job.plan.guards}),
        split=parts.payload(),
        out_of_fold=None if unseen is None else unseen.evidence,
        calibration=served.promised_on,
        holdout=seen.evidence,
        holdout_calibration=seen.calibration,
        share_positive=float(np.average(part.positive, weights=part.weight)),
        scorer_costs=job.costs,
        scorer_prevalence=job.request.prevalence,
        lasting_warnings=list(dict.fromkeys((*served.warnings, *seen.lasting))),
        folds=None if unseen is None else unseen.fold,
    )


def _evaluated(job: Job, fitted: Fitted, parts: Partition) -> _Seen:
    """Return the evaluation on the held-out part."""
    if not len(parts.holdout):
        figures, lasting = no_evaluation()
        return _Seen(figures, [], lasting, None, fitted.calibration, {})
    model = _served(job, fitted)
    table = job.table.take(parts.holdout)
    encoded = encode_table(model.features, table)
    matrix = encoded.matrix
    guarded = guarded_rows(model.guards, model.features, table, encoded)
    own = job.own_prices(parts.holdout)
    evidence = score(
        model.scorer, matrix, job.part(parts.holdout), guarded, own and own.costs
    )
    decisions = model.judge(matrix, guarded=guarded, prices=own).decisions
    figures, warnings = evaluate(
        evidence, decisions, fitted.calibration, job.costs, model.rating
    )
    held = job.lesson(evidence.part, matrix)
    weight = np.ones(len(held.target)) if held.weight is None else held.weight
    more = job.builder.compare(fitted.estimator, held.matrix, held.target, weight)
    lasting = notes_on_scores(Outputs(evidence.scores, evidence.reject_scores))
    return _Seen(
        {**figures, **more},
        warnings,
        lasting,
        evidence,
        fitted.calibration,
        influence(model, matrix),
    )
