"""HingeSVC and DoubleHingeSVC as their users see them."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import CostMatrix, DoubleHingeSVC, HingeSVC, c_path
from solvers.errors import Interrupted
from solvers.rules import BartlettWegkampRule
from solvers.scoring import load

pytestmark = pytest.mark.filterwarnings("ignore:the labels .* are text")

MACHINES = [HingeSVC, DoubleHingeSVC]

TIGHT = {"gamma": 0.2, "tol": 1e-7}


@parametrize_with_checks([HingeSVC(), DoubleHingeSVC()])
def test_scikit_learn_accepts_them(estimator, check):
    with warnings.catch_warnings():
        # The checks build their own odd inputs, and warn about them.
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_the_plain_hinge_agrees_with_the_peer(cancer, C):
    X, y = cancer
    ours = HingeSVC(C=C, tol=1e-6).fit(X, y)
    peer = SVC(C=C, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(
        ours.decision_function(X), peer.decision_function(X), atol=2e-4
    )
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)
    assert set(ours.support_) == set(peer.support_)


def test_attributes_rebuild_the_score(table):
    X, y = table
    for machine in MACHINES:
        model = machine(gamma=0.2).fit(X, y)
        K = rbf_kernel(model.support_vectors_, X, gamma=0.2)
        rebuilt = model.dual_coef_ @ K + model.intercept_
        np.testing.assert_allclose(model.decision_function(X), rebuilt[0], atol=1e-9)
        assert model.dual_coef_.shape == (1, len(model.support_))
        assert model.intercept_.shape == (1,)
        np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
        assert list(model.classes_) == ["fit", "ill"]
        assert 0 <= model.duality_gap_ <= 1e-3
        assert model.n_iter_ >= 1


def test_decisions_follow_equation_9(table):
    X, y = table
    costs = CostMatrix(1, 5, 0.6, 0.3)
    model = DoubleHingeSVC(costs).fit(X, y)
    scores = model.decision_function(X)
    lower, upper = costs.thresholds
    expected = np.where(scores > upper, 1, np.where(scores < lower, -1, 0))
    np.testing.assert_array_equal(model.decide(X), expected)
    assert model.decide(X).dtype == np.int8
    assert set(np.unique(expected)) == {-1, 0, 1}
    assert set(model.predict(X)) == {"fit", "ill"}


def test_the_plain_machine_never_rejects(table):
    X, y = table
    model = HingeSVC().fit(X, y)
    np.testing.assert_array_equal(model.decide(X) > 0, model.predict(X) == "ill")
    assert 0 not in model.decide(X)


def test_both_rules_agree_at_24_percent_and_differ_elsewhere(table):
    X, y = table
    widths = {}
    for r in (0.1, 0.24, 0.45):
        costs = CostMatrix(1, 1, r, r)
        plug_in = DoubleHingeSVC(costs).fit(X, y)
        other = DoubleHingeSVC(costs, rule="bartlett-wegkamp").fit(X, y)
        np.testing.assert_array_equal(plug_in.dual_coef_, other.dual_coef_)
        widths[r] = plug_in.rule_.upper_, other.rule_.upper_
    assert abs(widths[0.24][0] - widths[0.24][1]) < 0.01
    assert widths[0.1][0] > widths[0.1][1]
    assert widths[0.45][0] < widths[0.45][1]


def test_delta_moves_the_band(table):
    X, y = table
    costs = CostMatrix(1, 1, 0.3, 0.3)
    half = DoubleHingeSVC(costs, rule="bartlett-wegkamp").fit(X, y)
    rule = BartlettWegkampRule(costs, delta=0.3)
    third = DoubleHingeSVC(costs, rule=rule).fit(X, y)
    assert third.rule_.upper_ == pytest.approx(0.6 * half.rule_.upper_)
    assert third.rule_ is not rule


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("solver", ["auto", "decomposition"])
def test_weights_are_repetitions(table, machine, kernel, solver):
    X, y = table
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    model = machine(kernel=kernel, tol=1e-8, solver=solver)
    by_weight = clone(model).fit(X, y, sample_weight=weights)
    by_row = clone(model).fit(X[repeated], y[repeated])
    assert by_weight.kernel_.gamma == pytest.approx(by_row.kernel_.gamma, rel=1e-12)
    np.testing.assert_allclose(
        by_weight.decision_function(X), by_row.decision_function(X), atol=1e-5
    )
    assert not set(np.flatnonzero(weights == 0)) & set(by_weight.support_)


@pytest.mark.parametrize("machine", MACHINES)
def test_class_weights_multiply_row_weights(table, machine):
    """And the double hinge keeps its eye on the decisions of the rows as they come."""
    X, y = table

    def at(odds):
        return (
            {"costs": CostMatrix().at_odds(odds)} if machine is DoubleHingeSVC else {}
        )

    by_class = machine(class_weight={"ill": 3.0}, **TIGHT).fit(X, y)
    weights = np.where(y == "ill", 3.0, 1.0)
    by_row = machine(**at(3.0), **TIGHT).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(
        by_class.decision_function(X), by_row.decision_function(X), atol=1e-5
    )
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    balanced = machine(class_weight="balanced", **TIGHT).fit(X, y, weights)
    share = np.where(y == "ill", weights[y == "ill"].sum(), weights[y == "fit"].sum())
    odds = weights[y == "fit"].sum() / weights[y == "ill"].sum()
    by_row = machine(**at(odds), **TIGHT).fit(
        X, y, weights * weights.sum() / (2 * share)
    )
    np.testing.assert_allclose(
        balanced.decision_function(X), by_row.decision_function(X), atol=1e-5
    )


@pytest.mark.parametrize("machine", MACHINES)
def test_one_kernel_in_five_forms(table, machine):
    X, y = table
    expected = machine(**TIGHT).fit(X, y).decision_function(X)
    K = rbf_kernel(X, gamma=0.2)
    compressed = sparse.csr_matrix(X)
    forms = {
        "csr": machine(**TIGHT).fit(compressed, y).decision_function(compressed),
        "csr, dense rows": machine(**TIGHT).fit(compressed, y).decision_function(X),
        "precomputed": machine(kernel="precomputed", tol=1e-7)
        .fit(K, y)
        .decision_function(K),
        "callable": machine(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.2), tol=1e-7)
        .fit(X, y)
        .decision_function(X),
    }
    for scores in forms.values():
        np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_precomputed_with_weights_of_zero(table):
    X, y = table
    K = rbf_kernel(X, gamma=0.2)
    weights = np.ones(len(y))
    weights[::3] = 0
    model = HingeSVC(kernel="precomputed", tol=1e-7).fit(K, y, weights)
    plain = HingeSVC(**TIGHT).fit(X, y, weights)
    np.testing.assert_allclose(
        model.decision_function(K), plain.decision_function(X), atol=1e-5
    )


@pytest.mark.parametrize("kernel", ["sigmoid", "indefinite"])
def test_an_indefinite_kernel_fits_and_says_its_gap(table, kernel):
    X, y = table
    function = kernel if kernel == "sigmoid" else lambda A, B: -(A @ B.T)
    model = DoubleHingeSVC(kernel=function, gamma=1.0, coef0=-1.0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.duality_gap_ >= -1e-6


def test_the_payload_scores_the_same_bits(table):
    X, y = table
    for kernel in ("rbf", "linear", "poly", "sigmoid"):
        model = DoubleHingeSVC(kernel=kernel, coef0=0.5).fit(X, y)
        served = load(model.scorer_payload())
        np.testing.assert_array_equal(served.score(X), model.decision_function(X))
        wide = clone(model).fit(sparse.csr_matrix(X), y)
        np.testing.assert_allclose(
            load(wide.scorer_payload()).score(X), wide.decision_function(X), atol=1e-9
        )
    with pytest.raises(ValueError, match="cannot be served"):
        HingeSVC(kernel="precomputed").fit(X @ X.T, y).scorer_payload()


def test_a_warm_start_saves_steps(table):
    X, y = table
    model = DoubleHingeSVC(solver="decomposition", warm_start=True, tol=1e-6).fit(X, y)
    first = model.n_iter_
    weights = model.dual_coef_
    model.fit(X, y)
    assert model.n_iter_ <= max(1, first // 20)
    np.testing.assert_allclose(model.dual_coef_, weights, atol=1e-4)
    model.set_params(C=1.2).fit(X, y)
    cold = clone(model).set_params(warm_start=False).fit(X, y)
    np.testing.assert_allclose(
        model.decision_function(X), cold.decision_function(X), atol=1e-4
    )
    model.fit(X[:200], y[:200])  # another number of rows: a cold start


def test_a_path_equals_single_fits(table):
    X, y = table
    C = [10.0, 0.1, 1.0]
    for machine in (HingeSVC(**TIGHT), DoubleHingeSVC(**TIGHT, solver="decomposition")):
        path = c_path(machine, X, y, C, sample_weight=np.where(y == "ill", 2.0, 1.0))
        assert [model.C for model in path] == C
        for model in path:
            alone = clone(model).fit(X, y, np.where(y == "ill", 2.0, 1.0))
            np.testing.assert_allclose(
                model.decision_function(X), alone.decision_function(X), atol=1e-4
            )
            assert model.n_features_in_ == 4
        assert not hasattr(machine, "classes_")


def test_an_early_stop_warns_with_its_gap(table):
    X, y = table
    with pytest.warns(ConvergenceWarning, match="relative duality gap of"):
        HingeSVC(max_iter=3, solver="decomposition").fit(X, y)


def test_progress_can_stop_a_fit(table):
    model = HingeSVC(solver="decomposition")
    model._progress = lambda *_: False
    with pytest.raises(Interrupted):
        model.fit(*table)
