"""Machines on landmarks: exact where every row is one, certified where not."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import CostMatrix, DoubleHingeSVC, HingeSVC, MultiHingeSVC
from solvers.dual import coordinate_descent
from solvers.errors import Interrupted
from solvers.losses import DoubleHinge
from solvers.scoring import load
from solvers.trainers import landmarks as on_landmarks
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.reduced_set import ReducedSetSVC

COSTS = CostMatrix(1, 5, 0.6, 0.3)
GAMMA = 0.3
DRAWN = "a weight of 2 is a row twice, but for the draw of landmarks"


@parametrize_with_checks(
    [
        HingeSVC(landmarks=4),
        DoubleHingeSVC(landmarks=4),
        ProbabilisticLabelSVC(landmarks=4),
        MultiHingeSVC(landmarks=4),
    ],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": DRAWN,
        "check_sample_weight_equivalence_on_sparse_data": DRAWN,
    },
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def drawn(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.7 * rng.normal(size=n) > 0, 1, -1)
    return X, y


def gap_on_features(model, beta, X, y, C):
    """Return the gap of the approximated problem by its definition.

    The kernel is K_XL pinv(K_LL) K_LX, the losses are the papers', and nothing of the
    solver's features is used.
    """
    L = model.support_vectors_
    left, own = rbf_kernel(X, L, gamma=GAMMA), rbf_kernel(L, gamma=GAMMA)
    losses = DoubleHinge(COSTS).rows(y.astype(float)).weighted(C)
    # f(x) = k(x, L) c has |f|^2 = c' K_LL c; the weights' own is the projection of
    # their sum, whose length in the approximated kernel is that of c again.
    c = model.dual_coef_[0]
    f = left @ c
    primal = 0.5 * c @ own @ c + losses.value(f + model.intercept_[0]).sum()
    v, U = np.linalg.eigh(own)
    kept = v > 1e-12 * v[-1]
    w = (U[:, kept] / np.sqrt(v[kept])).T @ (left.T @ beta)
    dual = -0.5 * w @ w - losses.conjugate(-beta).sum()
    return (primal - dual) / abs(primal)


@pytest.mark.parametrize("descent", [False, True], ids=["exact", "descent"])
def test_every_row_a_landmark_is_the_exact_machine(monkeypatch, descent):
    X, y = drawn()
    told = {"C": 2.0, "gamma": GAMMA, "tol": 1e-6}
    exact = DoubleHingeSVC(COSTS, **told).fit(X, y)
    if descent:
        monkeypatch.setattr(on_landmarks, "_FEW_ROWS", 10)
    model = DoubleHingeSVC(COSTS, landmarks=len(y), **told).fit(X, y)
    assert (model.solver_ == "coordinate-descent") is descent
    atol = 0.02 if descent else 1e-3  # float32, and what its rank leaves out
    other, _ = drawn(seed=1)
    np.testing.assert_allclose(
        model.decision_function(other), exact.decision_function(other), atol=atol
    )
    objectives = []
    for one in (exact, model):
        c, own = one.dual_coef_[0], rbf_kernel(one.support_vectors_, gamma=GAMMA)
        losses = DoubleHinge(COSTS).rows(y.astype(float)).weighted(2.0)
        value = losses.value(one.decision_function(X)).sum()
        objectives.append(0.5 * c @ own @ c + value)
    np.testing.assert_allclose(objectives[1], objectives[0], rtol=1e-5)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("rows", [400, 3000])
def test_the_certificate_is_that_of_the_approximated_problem(rows, C):
    X, y = drawn(rows)
    model = DoubleHingeSVC(COSTS, C=C, gamma=GAMMA, tol=1e-3, landmarks=60).fit(X, y)
    few = rows <= 1000
    assert (model.solver_ == "coordinate-descent") is not few
    assert model.duality_gap_ <= 1e-3
    beta = model._weights
    assert abs(beta.sum()) <= 1e-8 * np.abs(beta).sum()
    gap = gap_on_features(model, beta, X, y, C)
    assert gap == pytest.approx(model.duality_gap_, abs=2e-4)
    assert model.dual_coef_.shape == (1, 60)
    assert model.rank_ <= 60
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])


def test_features_that_do_not_fit_into_memory_give_the_same_machine(monkeypatch):
    X, y = drawn(6000)
    told = {"C": 1.0, "gamma": GAMMA, "landmarks": 50, "tol": 1e-4}
    whole = HingeSVC(cache_size=100, **told).fit(X, y)
    made = coordinate_descent._State._made
    widest = []

    def counted(self, rows):
        widest.append(len(rows))
        return made(self, rows)

    monkeypatch.setattr(coordinate_descent._State, "_made", counted)
    blocks = HingeSVC(cache_size=0.4, **told).fit(X, y)
    assert max(widest) * 4 * blocks.rank_ <= 0.4 * 2**20 or max(widest) == 4096
    assert len(widest) > 4
    for one in (whole, blocks):
        assert one.duality_gap_ <= 1e-4
    close = np.abs(blocks.decision_function(X) - whole.decision_function(X))
    assert close.max() < 0.1
    assert np.mean(blocks.predict(X) == whole.predict(X)) > 0.99


@pytest.mark.parametrize("kernel", ["poly", "sigmoid", rbf_kernel])
def test_other_kernels_end_certified(kernel):
    X, y = drawn(1500)
    told = {"kernel": kernel, "gamma": 0.1, "coef0": 1.0, "degree": 2}
    model = HingeSVC(landmarks=60, C=0.1, **told).fit(X, y)
    assert model.duality_gap_ <= 1e-3
    if kernel == "poly":  # of rank 15: all of it
        exact = HingeSVC(C=0.1, **told).fit(X, y)
        np.testing.assert_allclose(
            model.decision_function(X), exact.decision_function(X), atol=0.05
        )
        own = polynomial_kernel(model.support_vectors_, X, gamma=0.1, coef0=1, degree=2)
        scores = model.dual_coef_[0] @ own + model.intercept_[0]
        np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-6)


def test_sparse_rows_and_rows_far_from_zero():
    X, y = drawn(1500)
    told = {"landmarks": 40, "gamma": GAMMA}
    plain = HingeSVC(**told).fit(X, y)
    packed = HingeSVC(**told).fit(sparse.csr_matrix(X), y)
    far = HingeSVC(**told).fit(X + 1e5, y)
    scores = plain.decision_function(X)
    for other, rows in ((packed, sparse.csr_matrix(X)), (far, X + 1e5)):
        np.testing.assert_allclose(other.decision_function(rows), scores, atol=0.1)


def test_the_draw_is_the_seeds_and_weights_of_zero_are_no_rows():
    X, y = drawn(1500)
    machine = HingeSVC(landmarks=30, gamma=GAMMA, random_state=4)
    first, again = (clone(machine).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.dual_coef_, again.dual_coef_)
    other = clone(machine).set_params(random_state=5).fit(X, y)
    assert not np.array_equal(other.support_, first.support_)
    weight = (np.arange(1500) < 1200).astype(float)
    weighted = clone(machine).fit(X, y, weight)
    fewer = clone(machine).fit(X[:1200], y[:1200])
    np.testing.assert_array_equal(weighted.support_, fewer.support_)
    np.testing.assert_array_equal(weighted.dual_coef_, fewer.dual_coef_)


def test_what_is_served_scores_alike():
    X, y = drawn(1500)
    model = DoubleHingeSVC(COSTS, landmarks=30, gamma=GAMMA).fit(X, y)
    payload = model.scorer_payload()
    assert payload["support_vectors"].shape == (30, 4)
    np.testing.assert_array_equal(load(payload).score(X), model.decision_function(X))


def test_an_end_without_a_certificate_says_so():
    X, y = drawn(1500)
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        model = HingeSVC(landmarks=30, C=100.0, max_iter=1).fit(X, y)
    assert model.duality_gap_ > 1e-3


def test_it_stops_on_request():
    X, y = drawn(1500)
    model = HingeSVC(landmarks=30)
    model._progress = lambda _, message: "gap" not in message
    with pytest.raises(Interrupted):
        model.set_params(C=1e4, tol=1e-9).fit(X, y)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"landmarks": 0}, "whole number of at least 1, got 0"),
        ({"landmarks": True}, "whole number of at least 1, got True"),
        ({"landmarks": 2.5}, "whole number of at least 1, got 2.5"),
        ({"landmarks": 401}, "landmarks=401 of 400 rows: give at most 400"),
        ({"landmarks": 5, "kernel": "linear"}, "leave landmarks out"),
        ({"landmarks": 5, "kernel": "precomputed"}, "leave landmarks out"),
    ],
)
def test_what_cannot_be_is_refused(told, words):
    X, y = drawn()
    with pytest.raises(ValueError, match=words):
        HingeSVC(**told).fit(X, y)


def test_as_a_reduction_it_keeps_the_rows_and_is_compared():
    X, y = drawn(1200)
    model = ReducedSetSVC("landmarks", landmarks=40, C=2.0, gamma=GAMMA, costs=COSTS)
    model.fit(X, y)
    report = model.report_
    assert report["removed"] == report["flipped"] == report["rejected"] == 0
    assert report["before"]["support_vectors"] > 400
    assert report["after"]["support_vectors"] == len(model.support_) == 40
    assert report["after"]["cost"] < 1.3 * report["before"]["cost"]
    alone = DoubleHingeSVC(COSTS, C=2.0, gamma=GAMMA, landmarks=40).fit(X, y)
    np.testing.assert_array_equal(model.support_, alone.support_)
    few = ReducedSetSVC("landmarks", landmarks=1100, C=2.0, gamma=GAMMA).fit(X, y)
    assert len(few.support_) == few.report_["before"]["support_vectors"]
    bad = ReducedSetSVC("landmarks", landmarks=1, gamma=GAMMA, max_accuracy_loss=0.01)
    assert "more than" in bad.fit(X, y).report_["fallback"]


@pytest.mark.parametrize("told", [{"method": "landmarks"}, {"landmarks": 5}])
def test_a_reduction_to_landmarks_names_how_many(told):
    with pytest.raises(ValueError, match='belongs to method="landmarks"'):
        ReducedSetSVC(**told).fit(*drawn())
