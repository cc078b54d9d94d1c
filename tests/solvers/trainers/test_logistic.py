"""Logistic regression: the peer's own score, weights as rows, labels as told."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import LogisticRejectClassifier
from solvers.scoring import load


@parametrize_with_checks([LogisticRejectClassifier()])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def drawn():
    draw = np.random.default_rng(3)
    X = draw.normal(size=(300, 4))
    odds = X @ [2.0, -1.0, 0.5, 0.0] + 0.4
    return X, np.where(draw.random(300) < 1 / (1 + np.exp(-odds)), 1, -1)


def test_the_gradient_is_zero_at_the_weights(drawn):
    X, y = drawn
    model = LogisticRejectClassifier(C=0.3).fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    pull = y / (1 + np.exp(y * (X @ w + b)))
    np.testing.assert_allclose(0.3 * X.T @ pull, w, atol=1e-4)
    assert abs(0.3 * pull.sum()) < 1e-4


def test_the_stored_form_has_the_bits_and_the_peers_score(drawn):
    X, y = drawn
    model = LogisticRejectClassifier().fit(X, y)
    served = load(model.scorer_payload())
    np.testing.assert_array_equal(served.score(X), model.positive_score(X))
    peer = LogisticRegression(tol=1e-8, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.positive_score(X), peer.decision_function(X))
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X))


def test_the_positive_label_turns_the_score_alone(drawn):
    X, y = drawn
    up, down = (LogisticRejectClassifier(pos_label=s).fit(X, y) for s in (1, -1))
    np.testing.assert_allclose(up.positive_score(X), -down.positive_score(X), atol=1e-5)
    np.testing.assert_array_equal(up.predict(X), down.predict(X))
    weighted = LogisticRejectClassifier(class_weight={-1: 3.0}, pos_label=-1)
    rows = np.where(y < 0, 3.0, 1.0)
    same = LogisticRejectClassifier(pos_label=-1).fit(X, y, rows)
    np.testing.assert_allclose(weighted.fit(X, y).coef_, same.coef_, atol=1e-5)


@pytest.mark.parametrize("C", [0.0, -1.0, np.nan, "1"])
def test_a_weight_that_is_none_is_refused(drawn, C):
    with pytest.raises(ValueError, match="C must be a finite number above 0"):
        LogisticRejectClassifier(C=C).fit(*drawn)
