"""The rule of a re-priced version: fitted on the scores that the version keeps.

    score rules    on the out-of-fold scores of the training rows
    promises       on the calibration part, which the served model never saw
    the others     from costs, calibration and parameters alone

The scorer stays what it is. With another share of +1 the stored rows are weighted to
it, and so is the calibration.
"""

from dataclasses import dataclass, replace
from math import log
from typing import Any

from app.artifacts.model import ServedModel
from app.artifacts.rating import Rating
from app.evidence.decisions import decide
from app.evidence.evaluation import evaluate, no_evaluation
from app.evidence.notes import notes_on_guards, notes_on_thresholds
from app.evidence.scores import Evidence, calibrate, fit_rule
from app.evidence.stored import Stored
from app.train.compatibility import LEARN_FROM_COSTS, cost_matrix, promises, rule_of
from app.train.schemas import TrainRequest
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.registry import RULES

__all__ = ["Repriced", "fit_thresholds", "held_out"]


@dataclass(frozen=True, slots=True, eq=False)
class Repriced:
    """A re-priced model, its evidence, and what the held-out rows say of it."""

    model: ServedModel
    stored: Stored
    before: dict[str, Any]
    after: dict[str, Any]
    warnings: list[str]


def fit_thresholds(
    model: ServedModel, stored: Stored, wanted: TrainRequest
) -> Repriced:
    """Fit the wanted rule on stored scores and evaluate it.

    Raises
    ------
    InvalidRequestError
        When the rule has no answer for these scores.
    """
    chosen, costs = rule_of(wanted), cost_matrix(wanted.costs)
    calibration = _served_calibration(model, stored, wanted)
    evidence = None
    if RULES[chosen.kind].learns:
        evidence = stored.calibration if promises(wanted) else stored.out_of_fold
    rule = fit_rule(wanted, chosen, costs, calibration, _at(evidence, stored, wanted))
    facts = rule.payload()
    repriced = replace(
        model,
        rule=facts,
        calibration=calibration,
        costs=costs,
        rating=_rating(model, stored, wanted),
    )
    notes = [
        *notes_on_guards(chosen.kind, evidence),
        *_notes(facts, stored, costs, wanted),
    ]
    before, after, warned = _evaluated(model, repriced, stored, wanted)
    warnings = list(dict.fromkeys((*notes, *warned, *stored.lasting_warnings)))
    kept = replace(stored, asked=wanted)
    if not wanted.refit:
        kept = replace(kept, holdout_calibration=calibration)
    return Repriced(repriced, kept, before, after, warnings)


def _at(
    evidence: Evidence | None, stored: Stored, wanted: TrainRequest
) -> Evidence | None:
    """Return stored scores at the wanted share of +1; they keep the scorer's."""
    share = wanted.prevalence
    if evidence is None or share is None or share == stored.scorer_prevalence:
        return evidence
    return evidence.at_prevalence(share)


def _served_calibration(
    model: ServedModel, stored: Stored, wanted: TrainRequest
) -> Calibration:
    now = model.calibration or stored.holdout_calibration
    if wanted.prevalence is None or wanted.prevalence == stored.asked.prevalence:
        return now
    if now.kind == "link" or stored.out_of_fold is None:
        return _shifted(now, stored.share_positive, wanted.prevalence)
    parts = (stored.out_of_fold, stored.calibration)
    return calibrate(*(p and p.at_prevalence(wanted.prevalence) for p in parts))


def _rating(model: ServedModel, stored: Stored, wanted: TrainRequest) -> Rating | None:
    """Return the bands of confidence at the wanted share of +1."""
    share, now = wanted.prevalence, stored.asked.prevalence
    if model.rating is None or share is None or share == now:
        return model.rating
    before = stored.share_positive if now is None else now
    return model.rating.shifted(_log_odds(share) - _log_odds(before))


def _log_odds(share: float) -> float:
    return log(share / (1.0 - share))


def _held_calibration(
    served: Calibration, stored: Stored, wanted: TrainRequest
) -> Calibration:
    """Return the map of the evaluated model, which a refit has left behind."""
    if not wanted.refit:
        return served
    now = stored.holdout_calibration
    if wanted.prevalence is None or wanted.prevalence == stored.scorer_prevalence:
        return now
    return _shifted(now, stored.share_positive, wanted.prevalence)


def _shifted(now: Calibration, share: float, wanted: float) -> Calibration:
    """Return a map whose odds are those of another share of +1."""
    shift = _log_odds(wanted) - _log_odds(share)
    return replace(now, log_odds_shift=shift)


def held_out(
    model: ServedModel, stored: Stored, wanted: TrainRequest
) -> tuple[Evidence, Calibration] | None:
    """Return the held-out rows and the map of the model that they evaluate.

    Parameters
    ----------
    model : ServedModel
    stored : Stored
    wanted : TrainRequest
        At its share of +1; the version's own is ``stored.asked``.
    """
    held = _at(stored.holdout, stored, wanted)
    if held is None or model.calibration is None:
        return None
    return held, _held_calibration(model.calibration, stored, wanted)


def _evaluated(
    model: ServedModel, repriced: ServedModel, stored: Stored, wanted: TrainRequest
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the figures before and after, and the warnings of the latter."""
    unseen = held_out(repriced, stored, wanted)
    if unseen is None:
        nothing, warnings = no_evaluation()
        return nothing, nothing, warnings
    costs, (held, now) = repriced.costs, unseen
    own = model.calibration or stored.holdout_calibration
    then = _held_calibration(own, stored, stored.asked)
    before, _ = evaluate(
        held, decide(model.rule, then, held), then, costs, model.rating
    )
    after, warnings = evaluate(
        held, decide(repriced.rule, now, held), now, costs, repriced.rating
    )
    return before, after, warnings


def _notes(
    facts: dict[str, Any],
    stored: Stored,
    costs: CostMatrix | None,
    wanted: TrainRequest,
) -> list[str]:
    notes = notes_on_thresholds(facts)
    if facts.get("feasible") is True:
        notes.append(
            "promises from the same calibration rows hold each by itself, not for the"
            " one that was picked after seeing several"
        )
    if wanted.trainer.kind in LEARN_FROM_COSTS and costs != stored.scorer_costs:
        notes.append(
            "the score was learnt at other costs and stays as it is; thresholds were"
            " chosen anew, a new training may do better"
        )
    return notes
