"""Every candidate's scores on every fold: the work of a search, and joblib to do it."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from app.evidence.part import Part
from app.evidence.scores import Evidence
from app.worker.fit.job import Job
from app.worker.fit.report import Report
from app.worker.fit.search.encodings import Encodings
from app.worker.fit.search.fits import Fit
from app.worker.fit.search.folds import Fold
from app.worker.fit.search.judging import FoldScores
from app.worker.fit.search.unit import Pulse, Scored, Unit, run_unit
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
    ) -> list[list[FoldScores]]:
        """Return for each candidate its scores on each fold.

        Parameters
        ----------
        groups : sequence of lists of Fit
            Those of a list share their kernel rows.
        report : Report

        Raises
        ------
        Interrupted
            When the training is to stop.
        """
        places: list[_Place] = []
        pulse = Pulse(report)

        def units() -> Iterator[Any]:
            total = len(groups) * len(self._folds)
            for group in groups:
                for k in range(len(self._folds)):
                    done = len(places)
                    stretch = Report(pulse, done / total, (done + 1) / total)
                    unit, place = self._unit(group, k, stretch)
                    places.append(place)
                    yield delayed(run_unit)(unit)

        # A context of joblib's may name another backend, of processes or machines.
        parallel = Parallel(n_jobs=_n_jobs(), prefer="threads", pre_dispatch="n_jobs")
        with catch_warnings():
            # A fit that stops early is ranked by what it decides, like any other; the
            # winner is fitted again, and then says so.
            simplefilter("ignore")
            outcomes: list[list[Scored]] = parallel(units())
        found: list[list[FoldScores]] = [[] for _ in self._jobs]
        for place, outcome in zip(places, outcomes, strict=True):
            for fit, scored in zip(place.fits, outcome, strict=True):
                for i in fit.serves:
                    found[i].append(_fold_scores(scored, place))
        return found

    def _unit(self, group: list[Fit], k: int, report: Report) -> tuple[Unit, _Place]:
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
            matrix=taught.matrix,
            target=taught.target,
            weight=taught.weight,
            held=rows.held,
            link=job.link,
            options=taught.options,
        )
        held = self._part.only(self._folds[k].scores)
        own = job.own_prices(held.rows)
        return unit, _Place(group, held, rows.guarded, own and own.costs)


def _fold_scores(scored: Scored, place: _Place) -> FoldScores:
    told = scored.told
    if told is None:
        return FoldScores(scored, None)
    outputs = (told.score, told.reject_score)
    evidence = Evidence(
        place.held, *outputs, place.guarded, told.log_odds, place.prices
    )
    return FoldScores(scored, evidence)


def _n_jobs() -> int | None:
    """Return how many fits run at once: the operator's setting, or the context's."""
    wanted = int(os.environ.get("DEMUR_SEARCH_JOBS", "1"))
    return wanted if wanted > 1 else None
