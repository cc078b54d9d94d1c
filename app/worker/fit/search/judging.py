"""One candidate's decisions on every fold, by rules that saw none of its scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.evidence.decisions import decide
from app.evidence.part import Part
from app.evidence.scores import Evidence, calibrate, fit_rule
from app.worker.fit.job import Job
from app.worker.fit.search.folds import Fold
from app.worker.fit.search.measure import Judgement
from app.worker.fit.search.unit import Scored
from solvers.calibration import Calibration
from solvers.costs import CostMatrix, RowCosts
from solvers.rules.registry import RULES
from solvers.scoring import Outputs

__all__ = ["FoldScores", "judge"]

Floats = NDArray[np.float64]


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
    columns: list[tuple[NDArray[Any], ...]] = []
    for k, fold in enumerate(folds):
        if not fold.tuned_by:
            continue
        tuning = _joined(part, folds, [of[j] for j in fold.tuned_by], fold.tuned_by)
        slope = of[k].scored.slope
        calibration = calibrate(tuning) if slope is None else Calibration.link(slope)
        chosen = job.plan.rule
        learnt_from = tuning if RULES[chosen.kind].learns else None
        rule = fit_rule(job.request, chosen, job.costs, calibration, learnt_from)
        evidence = of[k].seen
        called = decide(rule.payload(), calibration, evidence)
        position, label, weight = evidence.part.certain()
        prices = job.costs if evidence.prices is None else evidence.prices
        cost = _cost(prices, called)[position, (label > 0).astype(np.intp)]
        columns.append((label, called[position], weight, cost, np.full(len(label), k)))
    return Judgement(*map(np.concatenate, zip(*columns, strict=True)))


def _cost(prices: CostMatrix | RowCosts | None, called: NDArray[np.int8]) -> Floats:
    """Return what each decision costs where the row is -1, and where it is +1."""
    if prices is None:
        return np.full((len(called), 2), np.nan)
    sides = (np.full(len(called), side) for side in (-1, 1))
    return np.stack([prices.of_decisions(side, called) for side in sides], axis=1)


def _joined(
    part: Part, folds: Sequence[Fold], of: Sequence[FoldScores], numbers: Sequence[int]
) -> Evidence:
    """Return the scores of several folds as one."""
    n = len(part.rows)
    seen = np.zeros(n, dtype=np.bool_)
    guarded = None if of[0].seen.guarded is None else np.zeros(n, dtype=np.int8)
    parts = []
    for j, fold in zip(numbers, of, strict=True):
        rows, its = folds[j].scores, fold.seen
        seen |= rows
        parts.append((rows, Outputs(its.scores, its.reject_scores, its.log_odds)))
        if guarded is not None and its.guarded is not None:
            guarded[rows] = its.guarded
    outputs = Outputs.scattered(parts, n)
    odds = outputs.log_odds
    return Evidence(
        part.only(seen),
        outputs.score[seen],
        None if outputs.reject_score is None else outputs.reject_score[seen],
        None if guarded is None else guarded[seen],
        None if odds is None else odds[seen],
    )
