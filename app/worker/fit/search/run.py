"""Try every candidate on the folds, rank them, and say which one to train.

    fits of all candidates, each once  x  folds   -> scores of rows not learnt from
    each candidate's rule, fitted fold by fold on the scores of other folds
      -> decisions -> mean cost, standard error, rank

The figures choose; they do not promise. The least of many means is lower than what
its model will cost, which only rows that no candidate was compared on can tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from app.errors import ApiError, FieldError
from app.errors.faults import refuse
from app.evidence.part import Part
from app.train.plan import Candidate
from app.worker.fit.job import Job
from app.worker.fit.report import Report
from app.worker.fit.search.fits import shared
from app.worker.fit.search.folds import Fold, search_folds
from app.worker.fit.search.judging import FoldScores, judge
from app.worker.fit.search.kept import Figures, Kept, digest_of
from app.worker.fit.search.measure import Measure, measure_of
from app.worker.fit.search.scoring import Scoring
from app.worker.fit.search.table import Row, Table, figures

__all__ = ["Found", "search"]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The outcome of a search.

    Parameters
    ----------
    job : Job
        With the winner's request.
    facts : dict
        JSON facts for the version: the measure, and the table of all candidates.
    warnings : list of str
    """

    job: Job
    facts: dict[str, Any]
    warnings: list[str]


def search(
    job: Job,
    tried: Sequence[Candidate],
    wanted: int,
    rows: NDArray[np.int64],
    report: Report,
    kept: Kept,
) -> Found:
    """Compare the candidates on some rows.

    Parameters
    ----------
    job : Job
        Its request is replaced by that of each candidate.
    tried : sequence of Candidate
    wanted : int
        How many folds are to be decided.
    rows : ndarray of int
        The training part.
    report : Report
    kept : Kept
        What is known of candidates already.

    Raises
    ------
    InvalidRequestError
        When every candidate fails, or the rows cannot be split so.
    Interrupted
        When the training is to stop.
    ServiceUnavailableError
        When the cluster does not answer.
    """
    report.part(0.0, 1.0, "splitting the rows into folds").begin()
    jobs = [replace(job, request=one.request) for one in tried]
    part = job.part(rows)
    folds = search_folds(job.sample, rows, job.request.evaluation.seed, wanted)
    measure = measure_of(job.plan)
    digests = [digest_of(one.request, i, wanted) for i, one in enumerate(tried)]
    answers = {
        i: kept.known[digest]
        for i, digest in enumerate(digests)
        if digest in kept.known
    }
    groups = [
        group
        for group in shared(tried)
        if not answers.keys() >= {i for fit in group for i in fit.serves}
    ]
    with catch_warnings():
        # A fit that stops early is ranked by what it decides, like any other; the
        # winner is fitted again, and then says so.
        simplefilter("ignore")
        for complete in Scoring(jobs, part, folds).scores(groups, report):
            for i, scores in complete.items():
                answers[i] = _figures(jobs[i], part, folds, scores, measure)
                kept.keep(digests[i], answers[i])
    table = Table(measure, sum(bool(fold.tuned_by) for fold in folds))
    for i, one in enumerate(jobs):
        trainer, rule = one.request.trainer.kind, job.plan.rule.kind
        table.add(Row(i, trainer, rule, tried[i].varied, **answers[i]))
    if table.best is None:
        detail = f"every candidate failed; the first: {table.rows[0].error}"
        raise refuse([FieldError("/search", detail)])
    facts = table.facts(by_time=job.sample.moment is not None)
    return Found(jobs[table.best], facts, table.warnings())


def _figures(
    job: Job,
    part: Part,
    folds: Sequence[Fold],
    scores: Sequence[FoldScores],
    measure: Measure,
) -> Figures:
    """Return what a candidate's row says of it, or the reason of its failure."""
    seconds = sum(fold.scored.seconds for fold in scores)
    failed = next((fold.scored.error for fold in scores if fold.scored.error), None)
    if failed is not None:
        return {"seconds": seconds, "error": failed}
    try:
        measured = figures(judge(job, part, folds, scores), measure)
    except ApiError as error:
        measured = {"error": error.detail}
    return {"seconds": seconds, **measured}
