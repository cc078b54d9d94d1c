"""AdaBoost on stumps against its textbook form; the second step against a grid."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers.costs import CostMatrix
from solvers.scoring import load
from solvers.trainers.adaboost import AdaBoostStumpClassifier
from solvers.trainers.boosting_rows import TrainingRows, split_rows
from solvers.trainers.two_step_boosting import TwoStepBoostingClassifier


@parametrize_with_checks(
    [AdaBoostStumpClassifier(n_rounds=30), TwoStepBoostingClassifier(n_rounds=30)],
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def noisy(n_rows=400, seed=0, missing=0.0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    chance = 1.0 / (1.0 + np.exp(-2.0 * X[:, 0] - X[:, 1] ** 2 + 1.0))
    y = np.where(random.random(n_rows) < chance, 1, -1)
    X[random.random(X.shape) < missing] = np.nan
    return X, y


def textbook_adaboost(X, y, start, n_rounds):
    """Boost by trying every stump on reweighted rows."""
    answers = []
    for x in X.T:
        values = np.unique(x)
        for cut in [-np.inf, *(values[1:] + values[:-1]) / 2]:
            told = np.where(x > cut, 1.0, -1.0)
            answers += [told, -told]
    answers = np.array(answers)
    h, weight = np.zeros(len(y)), start / start.sum()
    for _ in range(n_rounds):
        errors = (answers != y) @ weight
        best = int(np.argmin(errors))
        h += 0.5 * np.log((1 - errors[best]) / errors[best]) * answers[best]
        weight = start * np.exp(-y * h)
        weight /= weight.sum()
    return h


def test_it_is_the_textbooks_adaboost():
    X, y = noisy(150)
    # Weights that differ leave no two stumps with the same error.
    start = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    model = AdaBoostStumpClassifier(n_rounds=25).fit(X, y, start)
    h = textbook_adaboost(X, y, start, 25)
    assert model.decision_function(X) == pytest.approx(h, abs=1e-8)
    loss = start @ np.exp(-y * h) / start.sum()
    assert model.objective_path_[-1] == pytest.approx(loss, rel=1e-9)


def test_weights_repeat_rows_and_missing_values_are_native():
    X, y = noisy(300, seed=2, missing=0.2)
    weight = np.random.default_rng(1).integers(0, 4, 300)
    model = AdaBoostStumpClassifier(n_rounds=40)
    ours = model.fit(X, y, weight).decision_function(X)
    theirs = model.fit(X.repeat(weight, axis=0), y.repeat(weight)).decision_function(X)
    assert ours == pytest.approx(theirs, abs=1e-8)
    assert (np.diff(model.objective_path_) <= 1e-12).all()
    assert set(np.unique(model.decide(X))) == {-1, 1}


def test_the_payload_is_a_score_without_a_reject_function():
    X, y = noisy(missing=0.1)
    model = AdaBoostStumpClassifier(n_rounds=40).fit(X, y)
    scorer = load(model.scorer_payload())
    assert model.scorer_payload()["kind"] == "adaboost-stumps"
    assert scorer.reject_scores(X) is None
    assert (scorer.score(X) == model.decision_function(X)).all()
    assert (scorer.score(X[5:6]) == model.decision_function(X)[5:6]).all()
    told = model.explain(X)
    assert set(told) == {"h"}
    assert (told["h"].sum(axis=1) == model.decision_function(X)).all()
    assert np.argmax(model.importance_["h"]) == 0


def test_the_threshold_is_the_cheapest_on_the_rows_kept_apart():
    X, y = noisy(800, seed=4)
    costs = CostMatrix(1, 1, 0.2, 0.2)
    model = TwoStepBoostingClassifier(costs, n_rounds=60).fit(X, y)
    rows = TrainingRows(X, y.astype(float), np.ones(800))
    train, apart = split_rows(rows, 0.25, 0)
    alone = AdaBoostStumpClassifier(n_rounds=60).fit(train.X, train.y)
    h = alone.decision_function(apart.X)
    assert (model.decision_function(apart.X) == h).all()

    def cost(threshold):
        told = np.where(np.abs(h) > threshold, np.where(h > 0, 1, -1), 0)
        return costs.of_decisions(apart.y, told).mean()

    grid = [0.0, *np.abs(h), np.inf]
    assert cost(model.threshold_) == pytest.approx(min(map(cost, grid)))
    told, r = model.decide(X), model.reject_function(X)
    assert ((told == 0) == (r <= 0)).all()
    assert 0 < np.mean(told == 0) < 1


def test_dear_rejects_choose_no_rejection():
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = TwoStepBoostingClassifier(CostMatrix(1, 1, 0.45, 0.45)).fit(X, y)
    assert model.threshold_ == 0.0
    assert (model.decide(X) != 0).all()


@pytest.mark.parametrize("fraction", [0.0, 1.0, -1.0])
def test_bad_fractions_are_refused(fraction):
    X, y = noisy(40)
    with pytest.raises(ValueError, match="validation_fraction"):
        TwoStepBoostingClassifier(validation_fraction=fraction).fit(X, y)
