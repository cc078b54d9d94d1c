"""Class weights change what a machine looks at, not the world that it decides in."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from solvers import (
    CostMatrix,
    DoubleHingeSVC,
    MultiHingeSVC,
    ProbabilisticLabelSVC,
    RejectOptionClassifier,
)
from solvers.rules import BartlettWegkampRule, PlugInRule
from solvers.scoring import load

TRIAGE = CostMatrix(1.0, 5.0, 0.6, 0.3)


def rare(seed, n):
    """Rows of which one in twelve is +1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    eta = 1 / (1 + np.exp(-(1.5 * X[:, 0] - 3.2)))
    return X, np.where(rng.random(n) < eta, 1, -1), eta


def real_cost(decisions, eta):
    prices = np.array([[5.0, 0.0], [0.6, 0.3], [0.0, 1.0]])[decisions + 1]
    return float(np.mean(prices[:, 0] * eta + prices[:, 1] * (1 - eta)))


def test_weighted_classes_do_not_make_decisions_dearer():
    machine = DoubleHingeSVC(TRIAGE, kernel="linear")
    X, y, _ = rare(0, 1200)
    fresh, _, eta = rare(1, 200_000)
    plain = real_cost(machine.fit(X, y).decide(fresh), eta)
    weighted = machine.set_params(class_weight="balanced").fit(X, y)
    assert real_cost(weighted.decide(fresh), eta) < plain + 0.02
    assert weighted.costs_ == TRIAGE


def test_the_link_of_weighted_labels_keeps_the_share_of_the_classes():
    X, y, _ = rare(0, 1200)
    plain = ProbabilisticLabelSVC(costs=TRIAGE, kernel="linear").fit(X, y)
    machine = ProbabilisticLabelSVC(
        costs=TRIAGE, kernel="linear", class_weight="balanced"
    ).fit(X, y)
    p = machine.predict_proba(X)[:, 1]
    odds = np.sum(y < 0) / np.sum(y > 0)
    raw = np.exp(machine.link_slope_ * machine.decision_function(X))
    told = p > 2e-6  # above the floor
    np.testing.assert_allclose((p / (1 - p))[told], raw[told] / odds, rtol=1e-9)
    np.testing.assert_allclose(load(machine.scorer_payload()).probability(X), p)
    # What it decides is the cheapest at the probability that it tells.
    each = TRIAGE.expected(p)
    taken = np.array([1, 2, 0])[machine.decide(X) + 1]
    np.testing.assert_allclose(
        each[np.arange(len(X)), taken], each.min(axis=1), rtol=1e-9
    )
    assert plain.link_.intercept == 0.0


def test_the_link_of_taught_probabilities_is_what_it_was_taught():
    X, _, eta = rare(0, 300)
    weighted = ProbabilisticLabelSVC(class_weight={1: 5.0}).fit(X, eta)
    assert weighted.link_.intercept == 0.0


def test_bands_are_those_of_the_rows_as_they_come():
    X, y, _ = rare(0, 1200)
    fresh, _, eta = rare(1, 50_000)
    machine = MultiHingeSVC((0.05, 0.3), kernel="linear", class_weight={1: 12.0})
    band = machine.fit(X, y).rate(fresh)
    assert 0.0 < eta[band == 0].mean() < 0.05 < eta[band == 1].mean() < 0.3
    assert eta[band == 2].mean() > 0.3


@pytest.mark.parametrize("rule", [PlugInRule(TRIAGE), BartlettWegkampRule()])
@pytest.mark.parametrize("piped", [False, True])
def test_a_rule_that_believes_the_score_takes_no_weighted_classes(rule, piped):
    X, y, _ = rare(0, 200)
    machine = LogisticRegression(class_weight="balanced")
    if piped:
        machine = make_pipeline(StandardScaler(), machine)
    with pytest.raises(ValueError, match=r"class_weight.*chow"):
        RejectOptionClassifier(machine, rule).fit(X, y)
    RejectOptionClassifier(machine, "chow").fit(X, y)


def test_symmetric_costs_are_not_symmetric_among_weighted_classes():
    X, y, _ = rare(0, 200)
    machine = DoubleHingeSVC(rule="bartlett-wegkamp", class_weight="balanced")
    with pytest.raises(ValueError, match="leave class_weight out"):
        machine.fit(X, y)
