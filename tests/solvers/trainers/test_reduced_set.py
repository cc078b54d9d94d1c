"""Reductions: fewer support vectors, told honestly, undone when they cost too much."""

import json
import os
from pathlib import Path

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

METHODS = ("m1rs", "m2rs", "sca", "ssca")
ROUGH = {"gamma": 0.01, "C": 10.0}


@parametrize_with_checks([ReducedSetSVC(), ReducedSetSVC("m1rs"), ReducedSetSVC("sca")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def noisy(rows=240, seed=0):
    """Return two overlapping normal classes, and 0/1 labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, 2)) + 1.4 * (2 * y[:, None] - 1) * [0.6, 0.4]
    return X, y


def reduced(method, **parameters):
    chosen = {"C": 100.0, "gamma": 0.3, "distance": 0.3, **parameters}
    if method == "m2rs":
        chosen.setdefault("first_stage", ROUGH)
        chosen.setdefault("rejection_cost", 0.4)
    return ReducedSetSVC(method, **chosen)


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


def with_an_island(rows=300, seed=0):
    """Return two classes, the second with a fifth of its rows behind the first."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    centre = np.where(y == 1, 1.5, -1.5)
    centre[(y == 1) & (np.arange(rows) % 10 == 1)] = -3.2
    return centre[:, None] + 0.4 * rng.normal(size=(rows, 2)), y


def test_a_loss_of_accuracy_beyond_the_bound_brings_the_unreduced_machine_back():
    X, y = with_an_island()
    # A first stage that is nearly linear takes the island for errors.
    harmful = {"method": "sca", "first_stage": {"gamma": 1e-3}, "gamma": 0.3}
    free = ReducedSetSVC(**harmful).fit(X, y)
    table = free.compare(*with_an_island(1000, seed=5))
    assert table["before"]["accuracy"] - table["after"]["accuracy"] > 0.05
    bounded = ReducedSetSVC(**harmful, max_accuracy_loss=0.02).fit(X, y)
    report = bounded.report_
    assert not report["reduced"]
    assert "max_accuracy_loss=0.02" in report["fallback"]
    assert "60 validation rows" in report["fallback"]
    assert report["validation"]["rows"] == 60
    plain = HingeSVC(gamma=0.3).fit(X, y)
    np.testing.assert_array_equal(bounded.support_, plain.support_)
    np.testing.assert_allclose(
        bounded.decision_function(X), plain.decision_function(X), atol=1e-12
    )


def test_a_reduction_within_the_bound_stands_and_is_fitted_on_all_rows():
    X, y = noisy()
    bounded = reduced("sca", max_accuracy_loss=0.2).fit(X, y)
    assert bounded.report_["reduced"]
    free = reduced("sca").fit(X, y)
    np.testing.assert_array_equal(bounded.support_, free.support_)


@pytest.mark.parametrize("method", ["m1rs", "ssca"])
def test_one_class_left_keeps_the_unreduced_machine(method):
    X, y = noisy(60)
    X[y == 1] = X[y == 0]
    model = ReducedSetSVC(method, distance=1e6, rejection_cost=0.01).fit(X, y)
    report = model.report_
    if method == "ssca":
        assert report["removed"] == 60
    assert not report["reduced"]
    assert report["fallback"] == "only one class was left after the reduction"
    assert report["after"] is None
    assert report["decision_agreement"] is None
    assert set(model.predict(X)) <= {0, 1}


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


def test_compare_refuses_other_labels():
    X, y = noisy(60)
    with pytest.raises(ValueError, match=r"fitted classes \[0, 1\]"):
        reduced("sca").fit(X, y).compare(X, y + 1)


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


# Pendigits as published, two classes of five digits; figures checked with LIBSVM.
PENDIGITS = {
    "kernel": "polynomial",
    "degree": 3,
    "C": 100.0,
    "gamma": 8.0,
    "coef0": 1.0,
}
ROUGH_PENDIGITS = {"C": 1e4, "gamma": 2.0**-7}
TUNED = {**PENDIGITS, "gamma": 1 / 16, "coef0": 0.0}
EXPECTED = [
    (
        {"method": "m2rs", "rejection_cost": 0.04, "first_stage": ROUGH_PENDIGITS},
        147,
        0.99028,
    ),
    (
        {"method": "m2rs", "rejection_cost": 0.24, "first_stage": ROUGH_PENDIGITS},
        162,
        0.98914,
    ),
    (
        {"method": "m2rs", "rejection_cost": 0.44, "first_stage": ROUGH_PENDIGITS},
        174,
        0.98856,
    ),
    ({"method": "ssca", "distance": 0.9}, 214, 0.98142),
    ({"method": "ssca", "distance": 1.3}, 172, 0.98914),
    ({"method": "sca", **TUNED}, 174, 0.9860),
    ({"method": "sca", "removal": "flip", **TUNED}, 158, 0.9900),
    ({"method": "ssca", "distance": 0.3, **TUNED}, 181, 0.9897),
    ({"method": "ssca", "distance": 1.3, **TUNED}, 141, 0.9929),
]


@pytest.fixture(scope="module")
def pendigits():
    folder = os.environ.get("DEMUR_DATA_FOLDER")
    if not folder or not (Path(folder) / "pendigits.train.csv.gz").is_file():
        pytest.skip("DEMUR_DATA_FOLDER names no folder with pendigits.*.csv.gz")
    parts = []
    for part in ("train", "test"):
        path = Path(folder) / f"pendigits.{part}.csv.gz"
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        parts.append((table[:, :-1], table[:, -1].astype(int)))
    low, high = parts[0][0].min(axis=0), parts[0][0].max(axis=0)
    return [(2.0 * (X - low) / (high - low) - 1.0, y) for X, y in parts]


@pytest.mark.slow
@pytest.mark.parametrize(("parameters", "vectors", "accuracy"), EXPECTED)
def test_pendigits_gives_the_published_reductions(
    pendigits, parameters, vectors, accuracy
):
    (X, y), unseen = pendigits
    model = ReducedSetSVC(**{**PENDIGITS, **parameters}).fit(X, y)
    table = model.compare(*unseen)
    before, after = table["before"], table["after"]
    tuned = parameters.get("gamma") is not None
    assert before["support_vectors"] == pytest.approx(357 if tuned else 214, rel=0.02)
    assert before["accuracy"] == pytest.approx(0.9920 if tuned else 0.98142, abs=5e-4)
    assert after["support_vectors"] == pytest.approx(vectors, rel=0.02)
    assert after["accuracy"] == pytest.approx(accuracy, abs=1e-3)
