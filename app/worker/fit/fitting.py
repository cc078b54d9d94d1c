"""Fit a model on some rows, as it will be served.

features, from these rows alone
  -> the number of rounds, where it is found by stopping early (folds)
  -> scores of every row by a model that did not see it (folds)
  -> the scorer, fitted on all of these rows
  -> guards, from these rows alone
  -> calibration, and the rule where it learns from scores of rows that pass the guards
"""

from dataclasses import dataclass, replace
from typing import Any
from warnings import WarningMessage, catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from app.evidence.notes import (
    notes_on_guards,
    notes_on_scores,
    notes_on_thresholds,
)
from app.evidence.part import Part
from app.evidence.scores import Evidence, calibrate, fit_rule, score
from app.features.encoding import Encoded, encode_table
from app.features.schema import FeatureSchema
from app.features.typical import typical_row
from app.guards.guards import Guards
from app.guards.tables import guarded_rows
from app.worker.fit.guarding import fit_guards, with_reach
from app.worker.fit.job import Job
from app.worker.fit.out_of_fold import (
    Known,
    OutOfFold,
    encode,
    fit_and_score,
    fit_once,
    rounds_in_common,
    score_unseen,
)
from app.worker.fit.report import Report
from solvers.calibration import Calibration
from solvers.calibration.joint import choose_leaning, leaned
from solvers.rules.base import FittedByScores
from solvers.rules.plug_in import EmbeddedRule
from solvers.rules.registry import RULES
from solvers.scoring import Scorer, load

__all__ = ["Fitted", "fit"]

Rows = NDArray[np.int64]

_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A model and what it was fitted on.

    Parameters
    ----------
    part : Part
    features, scorer, calibration, rule, guards
        What is served.
    out_of_fold : OutOfFold or None
        None where neither the rule nor a calibration was fitted on scores.
    promised_on : Evidence or None
        The calibration part of a rule that gives a promise.
    estimator : estimator
        The fitted trainer, of which the scorer is the served form.
    typical : ndarray of shape (n_encoded,)
        A typical training row, encoded.
    warnings : list of str
    rule_warnings : list of str
        Those that follow from the rule and the costs.
    """

    part: Part
    features: FeatureSchema
    scorer: Scorer
    calibration: Calibration
    rule: FittedByScores
    guards: Guards
    out_of_fold: OutOfFold | None
    promised_on: Evidence | None
    estimator: Any
    typical: NDArray[np.float64]
    warnings: list[str]
    rule_warnings: list[str]


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
    report.part(0.0, 1.0, "encoding the columns").begin()
    part = job.part(rows)
    known = encode(job, part)
    learns = RULES[job.plan.rule.kind].learns
    link = job.link
    wants_unseen = link is None or (learns and not len(promised_on))
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        estimator, unseen = _estimator(job, known, report, wants_unseen=wants_unseen)
    scorer = load(estimator.scorer_payload())
    some = known.matrix[:: len(known.matrix) // _LOOKED_AT + 1]
    report.part(0.98, 1.0, "choosing the thresholds").begin()
    guards = fit_guards(job, known)
    features = with_reach(job, known, guards)
    if unseen is not None:
        unseen = _guarded(job, guards, known, unseen)
        scorer, unseen = _leaning(job, scorer, unseen)
    promised = _promised(job, features, guards, scorer, promised_on)
    calibration = _calibration(link and link(estimator), unseen, promised)
    evidence = promised
    if evidence is None and learns and unseen is not None:
        evidence = unseen.evidence
    rule = fit_rule(job.request, job.plan.rule, job.costs, calibration, evidence)
    rule_warnings = notes_on_guards(job.plan.rule.kind, evidence)
    rule_warnings += notes_on_thresholds(rule.payload())
    return Fitted(
        part=part,
        features=features,
        scorer=scorer,
        calibration=calibration,
        rule=rule,
        guards=guards,
        out_of_fold=unseen,
        promised_on=promised,
        estimator=estimator,
        typical=typical_row(known.features, known.matrix),
        warnings=[
            *_distinct_messages(caught),
            *notes_on_scores(scorer.outputs(some)),
            *calibration.notes,
            *job.builder.notes(estimator),
        ],
        rule_warnings=rule_warnings,
    )


def _estimator(
    job: Job, known: Known, report: Report, *, wants_unseen: bool
) -> tuple[Any, OutOfFold | None]:
    """Return the fitted trainer, and scores of rows that it did not see if wanted."""
    if job.builder.scores_unseen:
        return fit_and_score(job, known, report.part(0.0, 0.98, "members"))
    stretch = report.part(0.0, 0.4, "looking for the number of rounds")
    rounds = rounds_in_common(job, known, stretch)
    unseen = None
    if wants_unseen:
        stretch = report.part(0.0 if rounds is None else 0.4, 0.75, "")
        unseen = score_unseen(job, known, stretch, rounds)
    stretch = report.part(0.75, 0.98, "fitting")
    return fit_once(job, known, stretch, rounds), unseen


def _distinct_messages(caught: list[WarningMessage]) -> list[str]:
    """Return each warning once; of a solver's gaps, the last, which is what is served.

    Every fold's machine has a gap of its own, and one cause.
    """
    texts: dict[object, str] = {}
    for warning in caught:
        text = str(warning.message)
        gap = issubclass(warning.category, ConvergenceWarning)
        texts[ConvergenceWarning if gap else text] = text
    return list(texts.values())


def _guarded(job: Job, guards: Guards, known: Known, unseen: OutOfFold) -> OutOfFold:
    """Return scores of training rows with what the guards say of them."""
    table = job.table.take(known.part.rows)
    encoded = Encoded(known.matrix, {})  # every category of these rows is known
    guarded = guarded_rows(guards, known.features, table, encoded)
    if guarded is not None:
        guarded = guarded[unseen.scored]
    return replace(unseen, evidence=replace(unseen.evidence, guarded=guarded))


def _promised(
    job: Job, features: FeatureSchema, guards: Guards, scorer: Scorer, rows: Rows
) -> Evidence | None:
    """Return what the model and its guards say of the rows of a promise, if any."""
    if not len(rows):
        return None
    table = job.table.take(rows)
    kept = encode_table(features, table)
    guarded = guarded_rows(guards, features, table, kept)
    return score(scorer, kept.matrix, job.part(rows), guarded)


def _leaning(job: Job, scorer: Scorer, unseen: OutOfFold) -> tuple[Scorer, OutOfFold]:
    """Let the probability know what the rejector does, where the rule decides by it."""
    evidence = unseen.evidence
    h, r = evidence.scores, evidence.reject_scores
    by_both = job.plan.rule.kind == EmbeddedRule.kind
    if not by_both or r is None or evidence.log_odds is not None:
        return scorer, unseen
    position, label, weight = evidence.part.certain()
    leaning = choose_leaning(h[position], r[position], label, weight)
    if not leaning:
        return scorer, unseen
    leant_evidence = replace(evidence, log_odds=leaned(h, r, leaning))
    leant = load({**scorer.payload(), "leaning": leaning})
    return leant, replace(unseen, evidence=leant_evidence)


def _calibration(
    slope: float | None, unseen: OutOfFold | None, promised: Evidence | None
) -> Calibration:
    """Return the scorer's own link, or a curve through scores of unseen rows.

    The rows of a promise, whose decisions rest on scores alone, are such rows too.
    """
    if slope is not None:
        return Calibration.link(slope)
    if unseen is None:
        msg = "a scorer without a link is calibrated on out-of-fold scores"
        raise ValueError(msg)
    return calibrate(unseen.evidence, promised)
