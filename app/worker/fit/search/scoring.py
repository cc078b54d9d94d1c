"""Every candidate's scores on every fold: the work of a search, and who does it.

Threads of this process do, by joblib, as many as the process is granted; a context of
joblib's may name another backend. Where a cluster is set, its machines do.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from app.evidence.part import Part
from app.evidence.scores import Evidence
from app.worker.fit.job import Job
from app.worker.fit.report import Report
from app.worker.fit.search.cluster import cluster_of
from app.worker.fit.search.encodings import Encodings
from app.worker.fit.search.fits import Fit
from app.worker.fit.search.folds import Fold
from app.worker.fit.search.judging import FoldScores
from app.worker.fit.search.unit import Pulse, Rows, Scored, Unit, goes_on, run_unit
from solvers.costs import RowCosts

__all__ = ["Scoring", "name_of"]


def name_of(number: int, of: int) -> str:
    """Return how progress calls a candidate."""
    return f"candidate {number + 1} of {of}"


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """What a unit of work is about."""

    fits: list[Fit]
    held: Part
    guarded: NDArray[np.int8] | None
    prices: RowCosts | None


class Scoring:
    """Fits of some candidates on the folds of one part.

    Parameters
    ----------
    jobs : sequence of Job
        One for each candidate.
    part : Part
    folds : sequence of Fold
    """

    def __init__(self, jobs: Sequence[Job], part: Part, folds: Sequence[Fold]) -> None:
        self._jobs, self._part, self._folds = jobs, part, folds
        self._encodings = Encodings(part, folds)

    def scores(
        self, groups: Sequence[list[Fit]], report: Report
    ) -> Iterator[dict[int, list[FoldScores]]]:
        """Yield the scores of some candidates on each fold, as they are complete.

        Parameters
        ----------
        groups : sequence of lists of Fit
            Those of a list share their kernel rows.
        report : Report

        Raises
        ------
        Interrupted
            When the training is to stop; with a cluster also what ``Cluster.run`` does.
        """
        places: list[_Place] = []
        cluster = cluster_of(os.environ)
        pulse = Pulse(report if cluster is None else goes_on)
        n_folds = len(self._folds)
        total = len(groups) * n_folds

        def units() -> Iterator[tuple[Unit, Rows]]:
            for group in groups:
                for k in range(n_folds):
                    done = len(places)
                    stretch = Report(pulse, done / total, (done + 1) / total)
                    unit, rows, place = self._unit(group, k, stretch)
                    places.append(place)
                    yield unit, rows

        done = (
            _by_threads(units())
            if cluster is None
            else cluster.run(units(), total, report)
        )
        complete: dict[int, dict[int, list[Scored]]] = {}
        for number, outcome in done:
            group, k = divmod(number, n_folds)
            folds = complete.setdefault(group, {})
            folds[k] = outcome
            if len(folds) == n_folds:
                del complete[group]
                its = places[group * n_folds : (group + 1) * n_folds]
                yield _of_candidates(its, [folds[j] for j in range(n_folds)])

    def _unit(
        self, group: list[Fit], k: int, report: Report
    ) -> tuple[Unit, Rows, _Place]:
        """Return the work of one group on one fold."""
        steps = len(group)
        fold = f"fold {k + 1} of {len(self._folds)}"
        stretches = [
            report.part(
                step / steps,
                (step + 1) / steps,
                f"{name_of(fit.number, len(self._jobs))}, {fold}",
            )
            for step, fit in enumerate(group)
        ]
        stretches[0].begin()
        job = self._jobs[group[0].number]
        rows = self._encodings.of(job, k)
        known = rows.known
        taught = job.lesson(known.part, known.matrix)
        unit = Unit(
            estimators=[
                self._jobs[fit.number].estimator(known.features, stretch)
                for fit, stretch in zip(group, stretches, strict=True)
            ],
            link=job.link,
        )
        unit_rows = Rows(
            taught.matrix, taught.target, taught.weight, rows.held, taught.options
        )
        held = self._part.only(self._folds[k].scores)
        own = job.own_prices(held.rows)
        return unit, unit_rows, _Place(group, held, rows.guarded, own and own.costs)


def _by_threads(
    units: Iterable[tuple[Unit, Rows]],
) -> Iterator[tuple[int, list[Scored]]]:
    """Yield the number of each unit with what it gave, in order."""
    parallel = Parallel(prefer="threads", pre_dispatch="n_jobs", return_as="generator")
    fits = (delayed(run_unit)(unit, *rows) for unit, rows in units)
    yield from enumerate(parallel(fits))


def _of_candidates(
    places: Sequence[_Place], outcomes: Sequence[list[Scored]]
) -> dict[int, list[FoldScores]]:
    """Return the scores of the candidates of one group, fold by fold."""
    by_candidate: dict[int, list[FoldScores]] = {}
    for place, outcome in zip(places, outcomes, strict=True):
        for fit, scored in zip(place.fits, outcome, strict=True):
            for i in fit.serves:
                by_candidate.setdefault(i, []).append(_fold_scores(scored, place))
    return by_candidate


def _fold_scores(scored: Scored, place: _Place) -> FoldScores:
    outputs_of_fold = scored.outputs
    if outputs_of_fold is None:
        return FoldScores(scored, None)
    outputs = (outputs_of_fold.score, outputs_of_fold.reject_score)
    evidence = Evidence(
        place.held, *outputs, place.guarded, outputs_of_fold.log_odds, place.prices
    )
    return FoldScores(scored, evidence)
