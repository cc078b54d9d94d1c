"""What the service can do with a table: every trainer with every rule that fits it.

A trainer that knows no prices is fitted once; its out-of-fold scores serve every rule
at every price. One that learns the prices is fitted for each.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from experiments.loading import Floats, Rows
from experiments.selection import Setting, best_setting, fitted, out_of_fold_scores
from experiments.splits import standardised
from solvers import (
    AbstentionBoostingClassifier,
    AbstentionTreeBoostingClassifier,
    AdaBoostStumpClassifier,
    CostMatrix,
    DoubleHingeSVC,
    EnsembleRejectClassifier,
    GradientBoostingRejectClassifier,
    HingeSVC,
    ProbabilisticLabelSVC,
    RejectOptionClassifier,
    TwoStepBoostingClassifier,
)
from solvers.calibration import fit_calibration
from solvers.metrics import brier_score, expected_cost
from solvers.rules import (
    BartlettWegkampRule,
    BoundedAbstentionRule,
    BoundedErrorRule,
    ChowRule,
    ExpectedCostRule,
    MutualInformationRule,
    PlugInRule,
    SymmetricRule,
)

__all__ = ["decisions_of", "ensemble_of", "priced", "probability"]

Prices = Mapping[str, CostMatrix]
Found = Iterator[tuple[str, str, Any]]

C = (0.03, 0.3, 3.0, 30.0)
WIDTHS = (1 / 16, 1 / 4, 1.0)  # gamma times the number of features
FOLDS = 5
_NO_LIMIT = 1e6


def ensemble_of(train: Rows, seed: int) -> EnsembleRejectClassifier:
    """Return what ``auto`` fits, without a limit of time, on columns of one scale."""
    scaled, _ = standardised(train, train)
    model = EnsembleRejectClassifier(budget_seconds=_NO_LIMIT, random_state=seed)
    return model.fit(*scaled)


def probability(model: EnsembleRejectClassifier, train: Rows, X_test: Floats) -> Any:
    """Return its probability of +1 of rows in the units of the training part."""
    _, (X_scaled, _) = standardised(train, (X_test, np.zeros(len(X_test))))
    return model.probability(X_scaled)


def priced(method: str, p: Any, prices: Prices) -> Found:
    """Yield Chow's decisions on probabilities, at each price."""
    for name, costs in prices.items():
        yield method, name, ChowRule(costs).fit().decide(p)


def decisions_of(train: Rows, X_test: Floats, prices: Prices, seed: int) -> Found:
    """Yield (method, name of the prices, decisions on the test rows)."""
    scaled, (X_scaled, _) = standardised(train, (X_test, train[1]))
    widths = [width / X_test.shape[1] for width in WIDTHS]
    yield from _double_hinge(scaled, X_scaled, prices, widths, seed)
    setting = yield from _hinge_ruled(scaled, X_scaled, prices, widths, seed)
    yield from _p_svm(scaled, X_scaled, prices, setting)
    stumps = AdaBoostStumpClassifier(learning_rate=0.1)
    trees = GradientBoostingRejectClassifier(random_state=seed)
    yield from _unpriced_ruled("adaboost", stumps, train, X_test, prices)
    yield from _unpriced_ruled("gradient boosting", trees, train, X_test, prices)
    yield from _promised(trees, train, X_test, prices)
    yield from _joint(train, X_test, prices, seed)


def _double_hinge(
    train: Rows, X_test: Floats, prices: Prices, widths: list[float], seed: int
) -> Found:
    y = train[1]
    for name, costs in prices.items():
        machine = DoubleHingeSVC(costs)
        oof = out_of_fold_scores(machine, train, widths, C, folds=FOLDS, seed=seed)
        plug_in = PlugInRule(costs).fit()
        setting = best_setting(oof, partial(_cost, plug_in, y, costs))
        scores = fitted(machine, train, setting).decision_function(X_test)
        yield "double hinge, plug-in", name, plug_in.decide(scores)
        if costs.is_symmetric:
            wide = BartlettWegkampRule(costs).fit()
            yield "double hinge, bartlett-wegkamp", name, wide.decide(scores)
        calibration = fit_calibration(oof[setting], y)
        chow = ChowRule(costs).fit()
        p = calibration.probability(scores)
        yield "double hinge, chow", name, chow.decide(p)
        rule = ExpectedCostRule(costs, "newton").fit(oof[setting], y)
        yield "double hinge, expected-cost (newton)", name, rule.decide(scores)


def _cost(rule: Any, y: Floats, costs: CostMatrix, scores: Floats) -> float:
    return float(expected_cost(y, rule.decide(scores), costs))


def _hinge_ruled(
    train: Rows, X_test: Floats, prices: Prices, widths: list[float], seed: int
) -> Any:
    """Yield the svm's methods; return the setting of least out-of-fold Brier score."""
    y = train[1]
    oof = out_of_fold_scores(HingeSVC(), train, widths, C, folds=FOLDS, seed=seed)

    def distance(scores: Floats) -> float:
        p = fit_calibration(scores, y, method="sigmoid").probability(scores)
        return brier_score(y, p)

    setting = best_setting(oof, distance)
    scores = fitted(HingeSVC(), train, setting).decision_function(X_test)
    yield from _ruled("svm", oof[setting], y, scores, prices)
    return setting


def _p_svm(train: Rows, X_test: Floats, prices: Prices, setting: Setting) -> Found:
    """Yield the P-SVM on certain labels, where it is the svm with its own link."""
    for name, costs in prices.items():
        machine = ProbabilisticLabelSVC(costs=costs)
        yield "p-svm, plug-in", name, fitted(machine, train, setting).decide(X_test)


def _unpriced_ruled(
    trainer: str, estimator: Any, train: Rows, X_test: Floats, prices: Prices
) -> Found:
    """Yield every rule on the scores of a trainer that knows no prices."""
    model = RejectOptionClassifier(estimator, "mutual-information", FOLDS).fit(*train)
    scores = model.decision_function(X_test)
    y = train[1][model.oof_rows_]
    yield from _ruled(trainer, model.oof_scores_, y, scores, prices)


def _ruled(
    trainer: str, oof: Floats, y: Floats, scores: Floats, prices: Prices
) -> Found:
    """Yield every rule on one trainer's scores."""
    p = fit_calibration(oof, y).probability(scores)
    information = MutualInformationRule().fit(oof, y).decide(scores)
    signs = np.where(scores > 0.0, 1, -1)
    for name, costs in prices.items():
        yield f"{trainer}, no rejection", name, signs
        yield f"{trainer}, chow", name, ChowRule(costs).fit().decide(p)
        rules = {
            "symmetric": SymmetricRule(costs),
            "expected-cost (roc)": ExpectedCostRule(costs, "roc"),
            "expected-cost (newton)": ExpectedCostRule(costs, "newton"),
            "bounded-abstention (20 %)": BoundedAbstentionRule(0.2, costs),
        }
        for kind, rule in rules.items():
            yield f"{trainer}, {kind}", name, rule.fit(oof, y).decide(scores)
        yield f"{trainer}, mutual-information", name, information


def _promised(estimator: Any, train: Rows, X_test: Floats, prices: Prices) -> Found:
    """Yield the promise of at most 5 % errors: it knows no prices."""
    rule = BoundedErrorRule(0.05)
    decided = RejectOptionClassifier(estimator, rule).fit(*train).decide(X_test)
    for name in prices:
        yield "gradient boosting, bounded-error (5 %)", name, decided


def _joint(train: Rows, X_test: Floats, prices: Prices, seed: int) -> Found:
    """Yield the trainers that learn the prices, and AdaBoost's two steps."""
    for name, costs in prices.items():
        if costs.is_symmetric:
            printed = AbstentionBoostingClassifier(costs.reject_positive)
            yield (
                "abstention-boosting, as printed",
                name,
                _decided(printed, train, X_test),
            )
        shrunk = {
            "loss": "logistic",
            "n_rounds": 1000,
            "learning_rate": 0.1,
            "early_stopping": True,
        }
        models = {
            "abstention-boosting, early stopping": AbstentionBoostingClassifier(
                costs=costs, random_state=seed, **shrunk
            ),
            "abstention-trees, embedded": AbstentionTreeBoostingClassifier(
                costs, random_state=seed
            ),
            "abstention-trees, chow": AbstentionTreeBoostingClassifier(
                costs, rule="chow", random_state=seed
            ),
            "two-step boosting (TSB)": TwoStepBoostingClassifier(
                costs, random_state=seed
            ),
        }
        for kind, model in models.items():
            yield kind, name, _decided(model, train, X_test)


def _decided(model: Any, train: Rows, X_test: Floats) -> Any:
    return model.fit(*train).decide(X_test)
