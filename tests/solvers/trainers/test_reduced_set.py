"""Reductions: fewer support vectors, told honestly, undone when they cost too much."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import scoring
from solvers.costs import CostMatrix
from solvers.errors import Interrupted, UnknownNameError
from solvers.trainers.reduced_set import ReducedSetSVC
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC
from tests.solvers.trainers.noisy_rows import METHODS, noisy, reduced


@parametrize_with_checks([ReducedSetSVC(), ReducedSetSVC("m1rs"), ReducedSetSVC("sca")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("removal", ["remove", "flip"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_reduces_noisy_rows_and_keeps_its_promises(method, removal):
    X, y = noisy()
    model = reduced(method, removal=removal).fit(X, y)
    report = model.report_
    assert report["reduced"]
    assert report["fallback"] is None
    before, after = report["before"], report["after"]
    assert after["support_vectors"] < 0.8 * before["support_vectors"]
    assert after["support_vectors"] == len(model.support_)
    assert after["accuracy"] == np.mean(model.predict(X) == y)
    assert report["decision_agreement"] > 0.85
    marked = report["rejected"] + report["misclassified"]
    expected = (
        (marked, 0)
        if removal == "remove"
        else (report["rejected"], report["misclassified"])
    )
    assert (report["removed"], report["flipped"]) == expected
    assert (report["posterior_threshold"] is None) == (method != "m1rs")
    assert json.loads(json.dumps(report)) == report
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    # Nothing is worse on rows it never saw, beyond what chance allows.
    unseen, labels = noisy(2000, seed=9)
    table = model.compare(unseen, labels)
    assert table["before"]["accuracy"] - table["after"]["accuracy"] < 0.05


def test_the_unreduced_machine_is_the_ordinary_one():
    X, y = noisy()
    model = reduced("sca").fit(X, y)
    plain = HingeSVC(C=100.0, gamma=0.3).fit(X, y)
    table = model.compare(X, y)
    assert table["before"]["support_vectors"] == len(plain.support_)
    assert table["before"]["accuracy"] == np.mean(plain.predict(X) == y)


def test_sca_leaves_exactly_the_rows_that_the_first_machine_gets_right():
    X, y = noisy()
    model = reduced("sca", hard_margin=False).fit(X, y)
    first = HingeSVC(C=100.0, gamma=0.3).fit(X, y)
    right = first.predict(X) == y
    last = HingeSVC(C=100.0, gamma=0.3).fit(X[right], y[right])
    np.testing.assert_array_equal(model.support_, np.flatnonzero(right)[last.support_])
    np.testing.assert_allclose(
        model.decision_function(X), last.decision_function(X), atol=1e-9
    )


def test_the_last_machine_separates_what_the_first_one_left():
    X, y = noisy()
    for removal in ("remove", "flip"):
        model = reduced("sca", removal=removal).fit(X, y)
        first = HingeSVC(C=100.0, gamma=0.3).fit(X, y)
        called = first.predict(X)
        kept = called == y if removal == "remove" else np.ones(len(y), dtype=bool)
        np.testing.assert_array_equal(model.predict(X)[kept], called[kept])
        margins = np.where(called == 1, 1, -1) * model.decision_function(X)
        assert margins[kept].min() > 0.99


def test_distance_zero_is_sca_and_distance_bounds_the_norm():
    X, y = noisy()
    sca = reduced("sca").fit(X, y)
    zero = reduced("ssca", distance=0.0).fit(X, y)
    np.testing.assert_array_equal(sca.support_, zero.support_)
    np.testing.assert_array_equal(sca.dual_coef_, zero.dual_coef_)

    def norm(model):
        kernel = np.exp(
            -0.3
            * ((model.support_vectors_[:, None] - model.support_vectors_) ** 2).sum(-1)
        )
        return np.sqrt(model.dual_coef_[0] @ kernel @ model.dual_coef_[0])

    # Rows at |f| >= D are separated by f / D, so the last norm is at most |w| / D.
    first = norm(HingeSVC(C=100.0, gamma=0.3, tol=1e-6).fit(X, y))
    for distance in (0.3, 0.9, 1.1):
        last = norm(reduced("ssca", distance=distance, tol=1e-6).fit(X, y))
        assert last <= first / distance * (1.0 + 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_exchanging_the_classes_changes_nothing(method):
    X, y = noisy()
    # tight, so that the solver's own tolerance decides nothing
    one, two = (reduced(method, tol=1e-8).fit(X, labels) for labels in (y, 1 - y))
    np.testing.assert_array_equal(one.support_, two.support_)
    np.testing.assert_allclose(
        one.decision_function(X), -two.decision_function(X), atol=1e-6
    )
    for key in ("rejected", "misclassified", "before", "after", "decision_agreement"):
        assert one.report_[key] == pytest.approx(two.report_[key])


def test_weights_are_repeated_rows():
    X, y = noisy(120)
    weights = np.arange(120) % 3
    repeated = np.repeat(np.arange(120), weights)
    for method in METHODS:
        weighted = reduced(method).fit(X, y, sample_weight=weights)
        twice = reduced(method).fit(X[repeated], y[repeated])
        np.testing.assert_allclose(
            weighted.decision_function(X), twice.decision_function(X), atol=1e-6
        )
        for key in ("accuracy", "cost", "reject_rate"):
            assert weighted.report_["after"][key] == pytest.approx(
                twice.report_["after"][key]
            )


def test_costs_make_the_last_machine_one_that_rejects():
    X, y = noisy()
    costs = CostMatrix(1, 2, 0.3, 0.2)
    model = reduced("sca", costs=costs, C=1.0).fit(X, y)
    assert model.report_["reduced"]
    assert set(model.decide(X)) == {-1, 0, 1}
    kept = np.isin(np.arange(len(y)), model.support_)
    assert kept.any()
    signs = 2 * y - 1
    paid = costs.of_decisions(signs, model.decide(X)).mean()
    assert model.report_["after"]["cost"] == pytest.approx(paid)
    plain = DoubleHingeSVC(costs, C=1.0, gamma=0.3).fit(X, y)
    before = costs.of_decisions(signs, plain.decide(X)).mean()
    assert model.report_["before"]["cost"] == pytest.approx(before)


@pytest.mark.parametrize("method", METHODS)
def test_precomputed_and_sparse_rows_give_the_same_machine(method):
    X, y = noisy(120)
    plain = reduced(method, first_stage=None).fit(X, y)
    kernel = np.exp(-0.3 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    square = reduced(method, kernel="precomputed", first_stage=None).fit(kernel, y)
    thin = reduced(method, first_stage=None).fit(sparse.csr_matrix(X), y)
    np.testing.assert_array_equal(plain.support_, square.support_)
    scores = plain.decision_function(X)
    np.testing.assert_allclose(square.decision_function(kernel), scores, atol=1e-6)
    np.testing.assert_allclose(thin.decision_function(X), scores, atol=1e-6)
    assert square.compare(kernel, y)["after"] == pytest.approx(plain.report_["after"])


def test_the_served_form_has_the_same_scores():
    X, y = noisy()
    model = reduced("m2rs").fit(X, y)
    scorer = scoring.load(model.scorer_payload())
    np.testing.assert_allclose(scorer.score(X), model.decision_function(X), atol=1e-9)


def test_gamma_is_learnt_from_all_rows():
    X, y = noisy()
    model = reduced("sca", gamma="scale").fit(X, y)
    assert model.kernel_.gamma == pytest.approx(1.0 / (2 * X.var()))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rejection_cost": 0.0}, "rejection_cost"),
        ({"rejection_cost": 1.0}, "rejection_cost"),
        ({"distance": -0.1}, "distance"),
        ({"distance": np.inf}, "distance"),
        ({"max_accuracy_loss": 1.5}, "max_accuracy_loss"),
        ({"max_accuracy_loss": 0.1, "validation_fraction": 1.0}, "validation_fraction"),
        ({"first_stage": {"kernel": "linear"}}, "first_stage takes C, gamma"),
        ({"hard_margin": "yes"}, "hard_margin"),
        ({"C": 0.0}, "C must be"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, message):
    X, y = noisy(40)
    with pytest.raises(ValueError, match=message):
        ReducedSetSVC(**parameters).fit(X, y)


@pytest.mark.parametrize("parameters", [{"method": "rs"}, {"removal": "drop"}])
def test_unknown_names_list_the_known_ones(parameters):
    X, y = noisy(40)
    with pytest.raises(UnknownNameError, match=r"known: (m1rs|remove)"):
        ReducedSetSVC(**parameters).fit(X, y)


def test_progress_runs_from_start_to_end_and_stops_on_request(monkeypatch):
    from solvers.dual import active_set

    monkeypatch.setattr(active_set, "_REPORT_S", 0.0)
    X, y = noisy(150)
    model = reduced("m2rs", max_accuracy_loss=0.5, solver="active-set")
    seen = []
    model._progress = lambda fraction, _: seen.append(fraction) or True
    model.fit(X, y)
    assert len(seen) > 8
    assert seen[0] < 0.2
    assert 0.7 < max(seen) <= 1.0
    # Each machine reports within its own eighth, in order.
    assert (np.diff(seen) >= 0).all()
    model._progress = lambda *_: False
    with pytest.raises(Interrupted):
        model.fit(X, y)


def test_on_real_rows_the_reduction_keeps_the_accuracy():
    X, y = load_breast_cancer(return_X_y=True)
    split = np.arange(len(y)) % 3 > 0
    scaler = StandardScaler().fit(X[split])
    model = ReducedSetSVC("ssca", distance=0.5)
    model.fit(scaler.transform(X[split]), y[split])
    table = model.compare(scaler.transform(X[~split]), y[~split])
    assert table["after"]["support_vectors"] < 0.8 * table["before"]["support_vectors"]
    assert table["after"]["accuracy"] > 0.95
    assert table["decision_agreement"] > 0.96
