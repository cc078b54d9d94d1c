"""Stumps explain their scores exactly, and name the columns that matter."""

import numpy as np
import pytest

from solvers.scoring import load
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from tests.solvers.trainers.noisy_stumps import PARAMETERS, noisy

pytestmark = pytest.mark.filterwarnings("ignore:the labels .* are text")


def test_stumps_and_weights_are_the_model():
    X, y = noisy()
    model = AbstentionBoostingClassifier(n_rounds=50).fit(X, y)
    h, r = np.zeros(len(X)), np.zeros(len(X))
    for stump, weight in zip(model.stumps_, model.weights_, strict=True):
        to_h, to_r = stump.outputs(X)
        h, r = h + weight * to_h, r + weight * to_r
    assert (h == model.decision_function(X)).all()
    assert (r == model.reject_function(X)).all()


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_explanations_add_up_to_the_scores_exactly(parameters):
    X, y = noisy(missing=0.1)
    model = AbstentionBoostingClassifier(n_rounds=40, **parameters).fit(X, y)
    told = model.explain(X)
    assert (told["h"].sum(axis=1) == model.decision_function(X)).all()
    total = told["r"].sum(axis=1) + told["r_constant"]
    assert (total == model.reject_function(X)).all()
    assert (told["r"] <= 0).all()


def test_importance_names_the_features_that_cause_rejection():
    random = np.random.default_rng(1)
    X = random.normal(size=(2000, 3))
    sure = np.abs(X[:, 1]) > 1.0
    noise = np.where(random.random(2000) < 0.5, 1, -1)
    y = np.where(sure, np.where(X[:, 0] > 0, 1, -1), noise)
    model = AbstentionBoostingClassifier(cost=0.2, n_rounds=60).fit(X, y)
    assert np.argmax(model.importance_["h"]) == 0
    assert np.argmax(model.importance_["r"]) == 1
    assert np.argmax(model.importance_["rejected"]) == 1


@pytest.mark.parametrize("max_bins", [None, 50])
def test_importance_is_the_mean_of_the_explanations(max_bins):
    X, y = noisy(missing=0.1)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(X))
    model = AbstentionBoostingClassifier(n_rounds=60, max_bins=max_bins)
    model.fit(X, y, weight)
    told, rejected = model.explain(X), model.decide(X) == 0
    assert 0 < rejected.sum() < len(X)
    share = weight / weight.sum()
    spread = np.abs(told["h"] - share @ told["h"])
    assert model.importance_["h"] == pytest.approx(share @ spread)
    assert model.importance_["r"] == pytest.approx(-share @ told["r"])
    lost = weight * rejected / (weight * rejected).sum()
    assert model.importance_["rejected"] == pytest.approx(-lost @ told["r"])
    payload = load(model.scorer_payload()).importance()
    assert (payload["r"] == model.importance_["r"]).all()
