"""What a version would be asked for after a re-pricing, and why it may not be.

A request that contradicts itself is refused (422), as POST /train would refuse it. One
that is fine by itself, but not with the scores that this version keeps, is a conflict
(409); the detail says what would go.
"""

from typing import Any

from app.errors import ConflictError, FieldError
from app.errors.faults import refuse
from app.evidence.stored import Stored
from app.reprice.schemas import RepriceRequest
from app.train.compatibility import (
    compatibility_errors,
    cost_matrix,
    promises,
    rule_kind,
)
from app.train.rules import RULE, RuleChoice
from app.train.schemas import TrainRequest
from app.train.trainers.registry import SCORE_RULES
from solvers.costs import CostMatrix
from solvers.rules.registry import RULES

__all__ = ["changed_request"]

_ABOUT_THE_REQUEST = ("/rule", "/costs", "/prevalence")
_TIED = {
    "plug-in": "the score of this machine estimates probabilities only near those of"
    " the costs it was trained for",
    "bartlett-wegkamp": "the score of this machine was learnt at the costs it was"
    " trained for, and the rule reads it on their scale",
    "embedded": "the rejector was learnt together with the score, at the costs it was"
    " trained for",
}
_OWN_PRICES = (
    "the prices of this version follow columns of the rows, so it has no thresholds to"
    " choose anew: train again at other prices, or send them as costs of POST /predict"
)
_OWN_LINK = (
    "the plug-in rule reads the machine's own link, at the share of +1 it was trained"
    " for"
)


def changed_request(stored: Stored, request: RepriceRequest) -> TrainRequest:
    """Return the version's request, changed as this one asks.

    Raises
    ------
    InvalidRequestError
        When rule, costs and prevalence do not go together.
    ConflictError
        When the stored scores cannot carry it.
    """
    asked = stored.asked
    if asked.costs is not None and asked.costs.columns:
        raise ConflictError(_OWN_PRICES)
    changes: dict[str, Any] = {}
    if request.costs is not None:
        changes["costs"] = request.costs
    if request.prevalence is not None:
        changes["prevalence"] = request.prevalence
    rule = _rule(asked, request)
    if rule is not None:
        changes["rule"] = rule
    wanted = asked.model_copy(update=changes)
    _check(wanted, request)
    _check_scorer(wanted, stored, link=stored.holdout_calibration.kind == "link")
    return wanted


def _rule(asked: TrainRequest, request: RepriceRequest) -> RuleChoice | None:
    if request.max_reject_rate is not None:
        limit = {"max_reject_rate": request.max_reject_rate}
        return RULE.validate_python({"kind": "bounded-abstention", **limit})
    if request.max_error is not None:
        limit = {"max_error": request.max_error}
        return RULE.validate_python({"kind": "bounded-error", **limit})
    fixed = getattr(asked.rule, "reject_threshold", None)
    if request.rule is None and request.costs is not None and fixed is not None:
        # Costs are given to be decided by: they replace the fixed threshold.
        return RULE.validate_python({"kind": "chow"})
    return request.rule


def _check(wanted: TrainRequest, request: RepriceRequest) -> None:
    faults = [
        fault
        for fault in compatibility_errors(wanted)
        if not fault.pointer.startswith("/trainer")  # nothing is trained
    ]
    own = [f for f in faults if f.pointer.startswith(_ABOUT_THE_REQUEST)]
    if own:
        raise refuse(_placed(fault, request) for fault in own)
    if faults:
        first = faults[0]
        msg = (
            f"this version was trained with {first.pointer}: {first.detail}; train"
            " again without it, or ask for another rule"
        )
        raise ConflictError(msg)


def _placed(fault: FieldError, request: RepriceRequest) -> FieldError:
    """Return the fault of a limit at the limit, not at the rule it stands for."""
    for limit in ("max_reject_rate", "max_error"):
        if getattr(request, limit) is not None and fault.pointer.startswith("/rule"):
            return FieldError(f"/{limit}", fault.detail)
    return fault


def _check_scorer(wanted: TrainRequest, stored: Stored, *, link: bool) -> None:
    """Refuse a rule that reads more into the score than other prices leave in it."""
    kind = rule_kind(wanted)
    costs = cost_matrix(wanted.costs)
    same_costs = link or _proportional(costs, stored.scorer_costs)
    same_share = wanted.prevalence == stored.scorer_prevalence
    if kind in _TIED and not (same_costs and same_share):
        others = ", ".join(name for name in SCORE_RULES if name in RULES)
        msg = (
            f"{_OWN_LINK if link else _TIED[kind]}: train again, or ask for a rule on"
            f" the score under /rule: {others}"
        )
        raise ConflictError(msg)
    if promises(wanted) and stored.calibration is None:
        msg = (
            f"the rule {kind} needs rows that the served model never saw, and this"
            " version kept no calibration part: train again with this rule"
        )
        raise ConflictError(msg)
    if RULES[kind].learns and not promises(wanted) and stored.out_of_fold is None:
        msg = (
            f"the rule {kind} is chosen on out-of-fold scores, and this version, whose"
            " machine has a link of its own, made none: train again with this rule"
        )
        raise ConflictError(msg)


def _proportional(one: CostMatrix | None, other: CostMatrix | None) -> bool:
    """Tell whether costs differ by their unit only: no decision changes then."""
    if one is None or other is None:
        return one is other
    ratios = [
        getattr(one, name) / getattr(other, name)
        for name in (
            "false_positive",
            "false_negative",
            "reject_positive",
            "reject_negative",
        )
    ]
    return bool(max(ratios) - min(ratios) <= 1e-12 * max(ratios))
