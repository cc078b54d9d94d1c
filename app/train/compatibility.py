"""Which trainer, rule, costs and options go together; every refusal names what does.

A rule says by itself whether it needs costs (``chow`` takes a threshold instead) and
whether it gives a promise. A promise holds for the very model that was counted, on
rows as they come: no refit, no weights, no corrected prevalence.

A rule that believes the score (``plug-in``, ``bartlett-wegkamp``) needs one that
speaks of the rows as they come: not of those that ``class_weight`` made, and not the
P-SVM's of plain labels, whose link is one of probabilities that it was taught.

With guards, ``bounded-error`` is counted on the calibration rows that pass them. Guards
know the training part alone, so those rows are drawn like the cases that reach the
rule; the others are never decided, and an error among decided cases is what is bounded.
``bounded-cost`` bounds the mean over all cases, guarded ones too: it takes no guards.
"""

from collections.abc import Iterator

import numpy as np

from app.artifacts.row_prices import RowPrices
from app.errors import FieldError
from app.train.rules import RULE, RuleChoice, rule_parameters
from app.train.schemas import Costs, Guards, TrainRequest
from app.train.trainers.registry import TRAINERS
from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.rules.registry import RULES

__all__ = [
    "LEARN_FROM_COSTS",
    "believed",
    "compatibility_errors",
    "cost_matrix",
    "guards_of",
    "promises",
    "row_prices",
    "rule_kind",
    "rule_of",
]

LEARN_FROM_COSTS = ("double-hinge-svm", "abstention-boosting", "abstention-trees")
"""Trainers whose score is made for the costs."""
_ONE_PRICE = ("abstention-boosting", "abstention-trees")
"""Those of them that know no prices of single rows."""
_TRIED = {"bounded-abstention", "bounded-error", "bounded-cost"}
_SCORES = np.linspace(-1.0, 1.0, 8)


def rule_kind(request: TrainRequest) -> str:
    """Return the rule's name: the one asked for, or what the prices call for.

    Where none is named, the decision is the cheapest at the probability that is shown
    (chow), and tells most about the truth where there are no prices to go by.
    """
    if request.rule is not None:
        return request.rule.kind
    return "mutual-information" if request.costs is None else "chow"


def rule_of(request: TrainRequest) -> RuleChoice:
    """Return the rule of that name, with its parameters."""
    if request.rule is not None:
        return request.rule
    return RULE.validate_python({"kind": rule_kind(request)})


def promises(request: TrainRequest) -> bool:
    """Tell whether the rule gives a promise, by its kind or by what it is asked for."""
    kind, rule = rule_kind(request), request.rule
    sure = getattr(rule, "confidence", None) is not None
    return RULES[kind].promises or sure


def guards_of(request: TrainRequest) -> Guards:
    """Return the guards of a request, what it leaves open filled in."""
    guards, on = request.guards, rule_kind(request) != "bounded-cost"
    defaults = {"unseen_category": on, "missing_value": "unseen" if on else False}
    left_open = {k: v for k, v in defaults.items() if getattr(guards, k) is None}
    return guards.model_copy(update=left_open)


def cost_matrix(costs: Costs | None) -> CostMatrix | None:
    """Return the prices as ``solvers`` knows them; None where some follow columns.

    Raises
    ------
    InvalidCostsError
        With the inequality that does not hold, and both its sides.
    """
    if costs is None or costs.columns:
        return None
    return CostMatrix(**costs.model_dump())


def row_prices(costs: Costs | None) -> RowPrices | None:
    """Return the prices where some follow columns of the row, else None."""
    if costs is None or not costs.columns:
        return None
    return RowPrices.of(costs.model_dump())


def compatibility_errors(
    request: TrainRequest, *, try_rule: bool = True
) -> list[FieldError]:
    """Return every fault of the request that needs no look at its table.

    Without ``try_rule`` its rule has been tried already, with another trainer.
    """
    tried = (_parameter_errors,) if try_rule else ()
    checks = (_rule_errors, *tried, _cost_errors, _option_errors, _landmark_errors)
    return [error for check in checks for error in check(request)]


def _rule_errors(request: TrainRequest) -> Iterator[FieldError]:
    kind, trainer = rule_kind(request), TRAINERS[request.trainer.kind]
    fitting, why = trainer.rules, ""
    if not believed(request):
        fitting = tuple(rule for rule in fitting if not RULES[rule].believes)
        if kind in trainer.rules:
            why = (
                " on plain labels, of which its score is no probability"
                if getattr(request.trainer, "class_weight", None) is None
                else " with class_weight, which moves the score that the rule believes"
            )
    if kind not in fitting:
        yield FieldError(
            "/rule/kind",
            f"the rule does not fit the trainer {trainer.kind}{why}; rules that"
            f" fit: {', '.join(fitting)}",
        )


def believed(request: TrainRequest) -> bool:
    """Tell whether a trainer's score may be read as what it is made to estimate."""
    if getattr(request.trainer, "class_weight", None) is not None:
        return False
    linked = TRAINERS[request.trainer.kind].probabilities
    return request.target.probability or not linked


def _parameter_errors(request: TrainRequest) -> Iterator[FieldError]:
    """Try a rule's parameters on a few scores, where they depend on each other."""
    if request.rule is None or request.rule.kind not in _TRIED:
        return
    rule = RULES[request.rule.kind]
    chosen = rule_parameters(request.rule)
    try:
        if any(one.name == "costs" for one in rule.parameters()):
            chosen["costs"] = cost_matrix(request.costs)
        rule(**chosen).fit(_SCORES, np.sign(_SCORES))  # type: ignore[attr-defined]
    except InvalidCostsError:
        return  # _cost_errors reports it
    except ValueError as error:
        yield FieldError("/rule", str(error))


def _cost_errors(request: TrainRequest) -> Iterator[FieldError]:
    kind = rule_kind(request)
    if request.costs is None:
        if RULES[kind].costs_use != "optional" and kind != "chow":
            yield FieldError("/costs", f"the rule {kind} needs costs")
        if kind == "chow" and _reject_threshold(request) is None:
            yield FieldError(
                "/costs", "the rule chow needs costs, or its own reject_threshold"
            )
        return
    if request.costs.columns:
        yield from _row_price_errors(request)
        return
    try:
        costs = cost_matrix(request.costs)
    except InvalidCostsError as error:
        yield FieldError("/costs", str(error))
        return
    surrogate = getattr(request.trainer, "surrogate", "sum")
    if surrogate == "max" and costs is not None and not costs.is_symmetric:
        yield FieldError(
            "/trainer/surrogate",
            "max has no form for costs that differ between the classes; use sum",
        )
    if RULES[kind].costs_use == "symmetric" and costs and not costs.is_symmetric:
        yield FieldError(
            "/costs",
            f"the rule {kind} needs symmetric costs (false_positive ="
            " false_negative and reject_positive = reject_negative); plug-in takes any",
        )


def _row_price_errors(request: TrainRequest) -> Iterator[FieldError]:
    """Refuse whatever is chosen, or learnt, at one price for all rows."""
    trainer, way_out = request.trainer.kind, "give four numbers as costs"
    if rule_kind(request) != "chow" or _reject_threshold(request) is not None:
        yield FieldError(
            "/rule",
            "where a price follows a column, each row is decided at its own prices by"
            f" the rule chow: leave the rule out, or {way_out}",
        )
    if trainer in _ONE_PRICE:
        yield FieldError(
            "/trainer/kind",
            f"{trainer} learns from one price for all rows; where a price follows a"
            " column, take another trainer, such as auto or double-hinge-svm, or"
            f" {way_out}",
        )
    if getattr(request.trainer, "reduction", None) is not None:
        yield FieldError(
            "/trainer/reduction",
            "rows are taken away by one price for all of them; where a price follows a"
            f" column, leave the reduction out, or {way_out}",
        )


def _landmark_errors(request: TrainRequest) -> Iterator[FieldError]:
    trainer = request.trainer
    reduction = getattr(trainer, "reduction", None)
    approximation = getattr(trainer, "approximation", None)
    if approximation is not None and reduction is not None:
        yield FieldError(
            "/trainer/approximation",
            "a reduction is one of the exact machine: leave approximation or reduction"
            ' out; {"kind": "landmarks"} as reduction compares both machines',
        )
    kernel = getattr(trainer, "kernel", None)
    if kernel is None or kernel.kind != "linear":
        return
    for part, chosen in (("approximation", approximation), ("reduction", reduction)):
        if getattr(chosen, "landmarks", None) is not None:
            yield FieldError(
                f"/trainer/{part}",
                "a linear kernel has the columns themselves for features, and is served"
                f" as one weight a column: leave {part} out, or take another kernel",
            )


def _reject_threshold(request: TrainRequest) -> float | None:
    threshold: float | None = getattr(request.rule, "reject_threshold", None)
    return threshold


def _option_errors(request: TrainRequest) -> Iterator[FieldError]:
    evaluation = request.evaluation
    own_eta = request.target.label_precision is not None
    if own_eta and not TRAINERS[request.trainer.kind].probabilities:
        able = [entry.kind for entry in TRAINERS.values() if entry.probabilities]
        yield FieldError(
            "/target/label_precision",
            f"the trainer {request.trainer.kind} knows no precision of a label; these"
            f" do: {', '.join(able)}",
        )
    if request.refit and evaluation.holdout == 0:
        yield FieldError(
            "/refit", "without a held-out part the model is fitted on all rows already"
        )
    if rule_kind(request) == "bounded-cost" and any(on for _, on in guards_of(request)):
        yield FieldError(
            "/guards",
            "the promise of bounded-cost is one on the mean over all cases, which"
            " guards would change; leave the guards out, or ask for bounded-error",
        )
    if not promises(request):
        return
    promise = "the promise of this rule holds for the model that was counted"
    if request.refit:
        yield FieldError("/refit", f"{promise}; it cannot be fitted again")
    if request.target.weight is not None:
        yield FieldError("/target/weight", f"{promise}, each row once; no weights")
    if request.prevalence is not None:
        yield FieldError("/prevalence", f"{promise}, at the rows' own share of +1")
    if evaluation.holdout + evaluation.calibration >= 1:
        yield FieldError(
            "/evaluation", "holdout and calibration leave no rows to train on"
        )
