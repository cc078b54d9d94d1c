"""The joint booster as users meet it: decisions, weights, NaN, stops, bad input."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers.costs import CostMatrix
from solvers.errors import Interrupted, UnknownNameError
from solvers.scoring import load
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from tests.solvers.trainers.noisy_stumps import PARAMETERS, noisy

pytestmark = pytest.mark.filterwarnings("ignore:the labels .* are text")


@parametrize_with_checks(
    [
        AbstentionBoostingClassifier(n_rounds=30),
        AbstentionBoostingClassifier(n_rounds=30, costs=CostMatrix(1, 5, 0.6, 0.3)),
    ]
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_decide_is_zero_exactly_where_the_reject_function_is_not_positive(parameters):
    X, y = noisy(missing=0.1)
    model = AbstentionBoostingClassifier(n_rounds=60, **parameters).fit(X, y)
    r, h, told = model.reject_function(X), model.decision_function(X), model.decide(X)
    assert told.dtype == np.int8
    assert ((told == 0) == (r <= 0)).all()
    assert (told[r > 0] == np.where(h[r > 0] > 0, 1, -1)).all()
    assert set(np.unique(told)) <= {-1, 0, 1}
    assert (model.predict(X) == np.where(h > 0, "yes", "no")).all()
    assert (np.diff(model.objective_path_) <= 1e-12).all()
    assert len(model.objective_path_) == model.n_rounds_ + 1
    assert (model.weights_ > 0).all()
    assert len(model.weights_) == len(model.stumps_)
    *_, last = model.staged_decide(X)
    assert (last == told).all()


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize("max_bins", [None, 50])
def test_weight_two_is_the_row_twice(loss, max_bins):
    X, y = noisy(200, seed=3, missing=0.05)
    weight = np.random.default_rng(0).integers(0, 4, 200)
    ours = AbstentionBoostingClassifier(n_rounds=50, loss=loss, max_bins=max_bins)
    weighted = ours.fit(X, y, sample_weight=weight).decision_function(X)
    repeated = ours.fit(X.repeat(weight, axis=0), y.repeat(weight)).decision_function(X)
    assert weighted == pytest.approx(repeated, abs=1e-7)


def test_missing_values_go_to_the_best_answer():
    X = np.where(np.arange(60)[:, None] % 3 == 0, np.nan, np.arange(60.0)[:, None])
    y = np.where(np.isnan(X[:, 0]), 1, -1)
    model = AbstentionBoostingClassifier(n_rounds=10).fit(X, y)
    assert (model.decide(X) == y).all()
    answers = [stump.missing for stump in model.stumps_ if stump.feature is not None]
    assert set(answers) == {1}


def test_a_feature_never_missing_in_training_sends_nan_to_reject():
    X, y = noisy()
    model = AbstentionBoostingClassifier(n_rounds=100).fit(X, y)
    assert {s.missing for s in model.stumps_ if s.feature is not None} == {0}
    assert (model.decide(np.full((1, 3), np.nan)) == 0).all()


def test_early_stopping_returns_to_the_best_round():
    X, y = noisy(400, seed=5)
    model = AbstentionBoostingClassifier(
        n_rounds=400, early_stopping=True, patience=15, validation_fraction=0.3
    ).fit(X, y)
    path = model.validation_path_
    assert model.n_rounds_ == int(np.argmin(path))
    assert model.n_rounds_ + 15 == len(path) - 1 < 400
    assert len(list(model.staged_decide(X))) == model.n_rounds_


def test_progress_is_told_and_stops_the_fit():
    X, y = noisy()
    seen = []

    def progress(fraction, message):
        seen.append(fraction)
        return len(seen) < 5

    model = AbstentionBoostingClassifier(n_rounds=20)
    model._progress = progress
    with pytest.raises(Interrupted):
        model.fit(X, y)
    assert seen == [0.0, 0.05, 0.1, 0.15, 0.2]


def test_no_rounds_rejects_every_row():
    X, y = noisy()
    model = AbstentionBoostingClassifier(n_rounds=0).fit(X, y)
    assert (model.decide(X) == 0).all()
    assert model.objective_path_ == pytest.approx([1.25])


def test_constant_and_empty_columns_are_harmless():
    X, y = noisy()
    plain = AbstentionBoostingClassifier(n_rounds=30).fit(X, y)
    odd = np.column_stack((X, np.full(len(X), 3.0), np.full(len(X), np.nan)))
    model = AbstentionBoostingClassifier(n_rounds=30).fit(odd, y)
    assert (model.decide(odd) == plain.decide(X)).mean() > 0.9
    nothing = np.full((len(X), 1), np.nan)
    alone = AbstentionBoostingClassifier(n_rounds=30).fit(nothing, y)
    assert len(np.unique(alone.decide(nothing))) == 1
    flat = AbstentionBoostingClassifier(n_rounds=30).fit(np.ones((len(X), 1)), y)
    assert len(np.unique(flat.decide(np.ones((5, 1))))) == 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"cost": 0.5}, "strictly between 0 and 1/2"),
        ({"cost": 0.0}, "strictly between 0 and 1/2"),
        ({"n_rounds": -1}, "n_rounds"),
        ({"n_rounds": 1.5}, "n_rounds"),
        ({"beta": -0.1}, "beta"),
        ({"beta": np.inf}, "beta"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"max_bins": 256}, "max_bins"),
        ({"max_bins": 1}, "max_bins"),
        ({"early_stopping": True, "patience": 0}, "patience"),
        ({"early_stopping": True, "validation_fraction": 1.0}, "validation_fraction"),
        ({"surrogate": "max", "costs": CostMatrix()}, "no form for four costs"),
    ],
)
def test_bad_parameters_are_refused(parameters, said):
    X, y = noisy(20)
    with pytest.raises(ValueError, match=said):
        AbstentionBoostingClassifier(**parameters).fit(X, y)


@pytest.mark.parametrize("name", ["loss", "surrogate", "step"])
def test_unknown_names_are_refused(name):
    X, y = noisy(20)
    with pytest.raises(UnknownNameError, match="nonesuch"):
        AbstentionBoostingClassifier(**{name: "nonesuch"}).fit(X, y)


def test_one_class_is_refused():
    X, _ = noisy(20)
    with pytest.raises(ValueError, match="1 class"):
        AbstentionBoostingClassifier().fit(X, np.ones(20))
    with pytest.raises(ValueError, match="1 class"):
        AbstentionBoostingClassifier().fit(X, np.arange(20) % 2, np.arange(20) % 2)


def test_the_payload_scores_alike_in_any_batch():
    X, y = noisy(700, missing=0.1)
    model = AbstentionBoostingClassifier(n_rounds=80).fit(X, y)
    scorer = load(model.scorer_payload())
    assert scorer.missing
    assert scorer.n_features == 3
    h, r = scorer.score(X), scorer.reject_scores(X)
    assert (h == model.decision_function(X)).all()
    assert (r == model.reject_function(X)).all()
    assert scorer.probability(X) is None
    again = load(scorer.payload())
    for size in (1, 2, 8, 9, 100):
        for start in range(0, 700 - size, 97):
            rows = X[start : start + size]
            assert (again.score(rows) == h[start : start + size]).all()
            assert (again.reject_scores(rows) == r[start : start + size]).all()


def synthetic(n_rows, seed):
    """Draw rows of which one feature tells: r* is then a sum of stumps, as h* is."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, size=(n_rows, 2))
    eta = 1.0 / (1.0 + np.exp(-(2.0 * X[:, 0] + 1.5 * np.cos(4.0 * X[:, 0]))))
    return X, np.where(random.random(n_rows) < eta, 1, -1), eta


@pytest.mark.parametrize(
    ("costs", "loss"),
    [
        (CostMatrix(1, 1, 0.1, 0.1), "logistic"),
        (CostMatrix(1, 1, 0.25, 0.25), "exponential"),
        (CostMatrix(1, 5, 0.6, 0.3), "logistic"),
    ],
    ids=str,
)
def test_on_many_rows_the_risk_is_nearly_bayes(costs, loss):
    X, y, _ = synthetic(100_000, 0)
    model = AbstentionBoostingClassifier(costs=costs, loss=loss, n_rounds=300)
    model.fit(X, y)
    X, _, eta = synthetic(50_000, 1)
    told = model.decide(X)
    price = costs.expected(eta)
    ours = np.where(
        told == 1, price[:, 0], np.where(told == -1, price[:, 1], price[:, 2])
    )
    assert ours.mean() <= price.min(axis=1).mean() + 0.005


@pytest.mark.parametrize("step", ["line-search", "closed-form"])
@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize(
    "prices",
    [
        {"cost": 1e-4},
        {"cost": 1e-3, "surrogate": "max"},
        {"cost": 0.499},
        {"costs": CostMatrix(1, 1000, 5, 0.5)},
        {"costs": CostMatrix(1e4, 50, 1, 1)},
        {"costs": CostMatrix(1e-3, 1e-3, 3e-4, 2e-4)},
    ],
    ids=str,
)
def test_extreme_prices_stay_finite_and_descend(prices, loss, step):
    X, y = noisy(200)
    model = AbstentionBoostingClassifier(loss=loss, step=step, n_rounds=80, **prices)
    path = model.fit(X, y).objective_path_
    assert np.isfinite(path).all()
    assert (np.diff(path) <= 1e-12 * path[0]).all()
    assert path[-1] < path[0]


def test_the_unit_of_the_weights_does_not_matter():
    X, y = noisy()
    ours = AbstentionBoostingClassifier(n_rounds=60)
    told = [
        ours.fit(X, y, np.full(len(X), unit)).decision_function(X)
        for unit in (1.0, 1e-9, 1e9)
    ]
    assert told[1] == pytest.approx(told[0], abs=1e-7)
    assert told[2] == pytest.approx(told[0], abs=1e-7)
