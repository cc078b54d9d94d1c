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
from app.worker.fit.search.measure import Measure, measure_of
from app.worker.fit.search.scoring import Scoring, name_of
from app.worker.fit.search.table import Row, Table

__all__ = ["Found", "search"]

_FITTING = 0.97


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

    Raises
    ------
    InvalidRequestError
        When every candidate fails, or the rows cannot be split so.
    Interrupted
        When the training is to stop.
    """
    report.part(0.0, 1.0, "splitting the rows into folds").begin()
    jobs = [replace(job, request=one.request) for one in tried]
    part = job.part(rows)
    folds = search_folds(job.sample, rows, job.request.evaluation.seed, wanted)
    fitting = report.part(0.0, _FITTING, "")
    scores = Scoring(jobs, part, folds).scores(shared(tried), fitting)
    measure = measure_of(job.plan)
    table = Table(measure, sum(bool(fold.tuned_by) for fold in folds))
    for i, one in enumerate(jobs):
        start = _FITTING + (1.0 - _FITTING) * i / len(jobs)
        report.part(start, 1.0, f"{name_of(i, len(jobs))}, deciding").begin()
        row = Row(
            number=i,
            trainer=one.request.trainer.kind,
            rule=job.plan.rule.kind,
            params=tried[i].varied,
            seconds=sum(fold.scored.seconds for fold in scores[i]),
        )
        table.add(_judged(row, one, part, folds, scores[i], measure))
    if table.best is None:
        detail = f"every candidate failed; the first: {table.rows[0].error}"
        raise refuse([FieldError("/search", detail)])
    facts = table.facts(by_time=job.sample.moment is not None)
    return Found(jobs[table.best], facts, table.warnings())


def _judged(
    row: Row,
    job: Job,
    part: Part,
    folds: Sequence[Fold],
    scores: Sequence[FoldScores],
    measure: Measure,
) -> Row:
    """Return a candidate's row with its figures, or with the reason of its failure."""
    failed = next((fold.scored.error for fold in scores if fold.scored.error), None)
    if failed is not None:
        return replace(row, error=failed)
    try:
        return row.judged(judge(job, part, folds, scores), measure)
    except ApiError as error:
        return replace(row, error=error.detail)
