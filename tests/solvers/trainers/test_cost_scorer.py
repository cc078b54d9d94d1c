"""Decisions and their costs through pipelines, searches and cross-validation."""

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from solvers import (
    CostMatrix,
    RejectOptionClassifier,
    RowCosts,
    decide,
    make_cost_scorer,
    rules,
)
from solvers.errors import InvalidCostsError

COSTS = CostMatrix(1, 5, 0.5, 0.2)
POSITIVE = "ill"  # the smaller label in the alphabet


@pytest.fixture(scope="module")
def rows():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(240, 3))
    ill = X[:, 0] + 0.8 * draw.normal(size=240) > 0
    return X, np.where(ill, POSITIVE, "well")


def classifier(**options):
    return RejectOptionClassifier(
        LogisticRegression(**options), rules.ChowRule(COSTS), pos_label=POSITIVE, cv=3
    )


def cost_of(model, X, y):
    signs = np.where(y == POSITIVE, 1, -1)
    return COSTS.of_decisions(signs, model.decide(X)).mean()


def test_the_score_is_minus_the_mean_cost(rows):
    X, y = rows
    model = classifier().fit(X, y)
    scorer = make_cost_scorer(COSTS)
    assert scorer(model, X, y) == pytest.approx(-cost_of(model, X, y))
    twice = np.ones(len(y))
    twice[:40] = 2.0
    again = np.concatenate((np.arange(len(y)), np.arange(40)))
    weighted = scorer(model, X, y, twice)
    assert weighted == pytest.approx(-cost_of(model, X[again], y[again]))


def test_cross_validation_and_a_search_count_costs_through_a_pipeline(rows):
    X, y = rows
    scorer, folds = make_cost_scorer(COSTS), StratifiedKFold(3)
    pipe = make_pipeline(StandardScaler(), classifier())
    found = cross_val_score(pipe, X, y, scoring=scorer, cv=folds)
    for score, (train, test) in zip(found, folds.split(X, y), strict=True):
        scaler = StandardScaler().fit(X[train])
        model = classifier().fit(scaler.transform(X[train]), y[train])
        cost = cost_of(model, scaler.transform(X[test]), y[test])
        assert score == pytest.approx(-cost)
    grid = {"rejectoptionclassifier__estimator__C": [1e-4, 1.0]}
    search = GridSearchCV(pipe, grid, scoring=scorer, cv=folds).fit(X, y)
    assert search.best_score_ == search.cv_results_["mean_test_score"].max()
    scaled = search.best_estimator_[:-1].transform(X)
    expected = search.best_estimator_[-1].decide(scaled)
    np.testing.assert_array_equal(decide(search, X), expected)
    assert {-1, 0, 1} == set(expected.tolist())


def test_a_fitted_classifier_decides_alike_after_joblib(rows, tmp_path):
    X, y = rows
    pipe = make_pipeline(StandardScaler(), classifier()).fit(X, y)
    joblib.dump(pipe, tmp_path / "pipe.joblib")
    again = joblib.load(tmp_path / "pipe.joblib")
    np.testing.assert_array_equal(decide(again, X), decide(pipe, X))


def test_what_cannot_decide_is_told(rows):
    X, y = rows
    with pytest.raises(TypeError, match="LogisticRegression has no decide"):
        decide(make_pipeline(LogisticRegression()).fit(X, y), X)
    with pytest.raises(InvalidCostsError):
        make_cost_scorer({"false_positive": 0})


def test_rows_with_prices_of_their_own_are_decided_at_them(rows):
    X, y = rows

    def prices(part):
        return RowCosts(20.0, 10 ** (3 + part[:, 2]), 5.0, 5.0)

    scorer, folds = make_cost_scorer(prices), StratifiedKFold(3)
    pipe = make_pipeline(StandardScaler(), classifier())
    found = cross_val_score(pipe, X, y, scoring=scorer, cv=folds)
    for score, (train, test) in zip(found, folds.split(X, y), strict=True):
        model = pipe.fit(X[train], y[train])
        p = model[-1].probability(model[:-1].transform(X[test]))
        costs, signs = prices(X[test]), np.where(y[test] == POSITIVE, 1, -1)
        called = costs.decide(p)
        assert score == pytest.approx(-costs.of_decisions(signs, called).mean())
