"""Confidence ratings: bands of the score, tied to the probabilities they stand for."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers.costs import CostMatrix
from solvers.errors import InvalidLossError
from solvers.trainers.multi_hinge import MultiHingeSVC
from solvers.trainers.svm import DoubleHingeSVC


@parametrize_with_checks([MultiHingeSVC()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def drawn(rows, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 1))
    chance = 1.0 / (1.0 + np.exp(-3.0 * X[:, 0]))
    return X, np.where(rng.random(rows) < chance, 1, -1), chance


def test_bands_follow_the_probability():
    X, y, _ = drawn(800, 0)
    model = MultiHingeSVC((0.1, 0.3, 0.7, 0.9), C=10.0, gamma=0.1).fit(X, y)
    unseen, _, chance = drawn(4000, 1)
    bands = model.rate(unseen)
    assert set(np.unique(bands)) == {0, 1, 2, 3, 4}
    true_band = np.searchsorted([0.1, 0.3, 0.7, 0.9], chance)
    assert np.mean(bands == true_band) > 0.85
    assert np.abs(bands - true_band).max() <= 1
    # Higher bands hold likelier rows.
    means = [chance[bands == band].mean() for band in range(5)]
    assert (np.diff(means) > 0.05).all()


def test_a_score_on_a_threshold_belongs_to_the_band_below():
    X, y, _ = drawn(100, 2)
    model = MultiHingeSVC((0.3, 0.7)).fit(X, y)
    point = X[:1]
    score = model.decision_function(point)[0]
    model.thresholds_ = np.array([score - 1.0, score])
    assert model.rate(point)[0] == 1
    model.thresholds_ = np.array([score - 1.0, np.nextafter(score, -np.inf)])
    assert model.rate(point)[0] == 2


def test_the_costs_two_probabilities_make_the_double_hinge():
    X, y, _ = drawn(150, 3)
    costs = CostMatrix(1, 4, 0.6, 0.3)
    rated = MultiHingeSVC((costs.p_minus, costs.p_plus)).fit(X, y)
    decided = DoubleHingeSVC(costs).fit(X, y)
    np.testing.assert_allclose(
        rated.decision_function(X), decided.decision_function(X), atol=1e-9
    )
    np.testing.assert_array_equal(rated.rate(X) - 1, decided.decide(X))


def test_exchanging_the_classes_mirrors_the_bands():
    X, y, _ = drawn(150, 4)
    p = np.array([0.1, 0.4, 0.8])
    one = MultiHingeSVC(p, C=3.0).fit(X, y)
    two = MultiHingeSVC(1.0 - p[::-1], C=3.0).fit(X, -y)
    np.testing.assert_allclose(
        one.decision_function(X), -two.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize("bad", [(), (0.5, 0.5), (0.7, 0.3), (0.0, 0.5), (0.5, 1.0)])
def test_probabilities_must_ascend_within_zero_and_one(bad):
    X, y, _ = drawn(40, 5)
    with pytest.raises(InvalidLossError, match="ascend strictly"):
        MultiHingeSVC(bad).fit(X, y)


def test_it_never_rejects_by_itself():
    X, y, _ = drawn(60, 6)
    model = MultiHingeSVC().fit(X, y)
    np.testing.assert_array_equal(model.decide(X), model.predict(X))
