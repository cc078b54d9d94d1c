"""One candidate's decisions on every fold, by rules that saw none of its scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.decisions import decide
from app.evidence.part import Part
from app.evidence.scores import Evidence, calibrate, fit_rule
from app.train.pairs import rule_kind
from app.worker.fit.job import Job
from app.worker.fit.search.folds import Fold
from app.worker.fit.search.measure import Judgement
from app.worker.fit.search.work import Scored
from solvers.calibration import Calibration
from solvers.rules.registry import RULES

__all__ = ["FoldScores", "judge"]


@dataclass(frozen=True, slots=True, eq=False)
class FoldScores:
    """A fold's held rows as its fit scored them; no evidence where it failed."""

    scored: Scored
    evidence: Evidence | None

    @property
    def seen(self) -> Evidence:
        """Return the evidence of a fit that did not fail."""
        if self.evidence is None:
            raise ValueError(self.scored.error)
        return self.evidence


def judge(
    job: Job, part: Part, folds: Sequence[Fold], of: Sequence[FoldScores]
) -> Judgement:
    """Decide every fold that is to be decided.

    Parameters
    ----------
    job : Job
        Of the candidate.
    part : Part
        The training part.
    folds : sequence of Fold
    of : sequence of FoldScores
        One for each fold; none failed.

    Raises
    ------
    InvalidRequestError
        When the rule has no answer for the scores.
    """
    found: list[tuple[NDArray[Any], ...]] = []
    for k, fold in enumerate(folds):
        if not fold.tuned_by:
            continue
        tuning = _joined(part, folds, [of[j] for j in fold.tuned_by], fold.tuned_by)
        slope = of[k].scored.slope
        calibration = calibrate(tuning) if slope is None else Calibration.link(slope)
        learns = RULES[rule_kind(job.request)].learns
        rule = fit_rule(job.request, job.costs, calibration, tuning if learns else None)
        evidence = of[k].seen
        called = decide(rule.payload(), calibration, evidence)
        position, label, weight = evidence.part.certain()
        found.append((label, called[position], weight, np.full(len(label), k)))
    label, called, weight, number = map(np.concatenate, zip(*found, strict=True))
    return Judgement(label, called, weight, number)


def _joined(
    part: Part, folds: Sequence[Fold], of: Sequence[FoldScores], numbers: Sequence[int]
) -> Evidence:
    """Return the scores of several folds as one."""
    n = len(part.rows)
    scores, seen = np.zeros(n), np.zeros(n, dtype=np.bool_)
    joint = of[0].seen.reject_scores is not None
    rejects = np.zeros(n) if joint else None
    guarded = None if of[0].seen.guarded is None else np.zeros(n, dtype=np.int8)
    for j, fold in zip(numbers, of, strict=True):
        rows = folds[j].scores
        seen |= rows
        scores[rows] = fold.seen.scores
        if rejects is not None and fold.seen.reject_scores is not None:
            rejects[rows] = fold.seen.reject_scores
        if guarded is not None and fold.seen.guarded is not None:
            guarded[rows] = fold.seen.guarded
    return Evidence(
        part.only(seen),
        scores[seen],
        None if rejects is None else rejects[seen],
        None if guarded is None else guarded[seen],
    )
