"""The exported trees against scikit-learn's own predictions, bit for bit."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import log_loss
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from solvers.errors import Interrupted
from solvers.scoring import load
from solvers.trainers.boosting_rows import read_rows, split_rows
from solvers.trainers.gradient_boosting import (
    GradientBoostingRejectClassifier,
    histogram_trees_payload,
)

pytestmark = pytest.mark.filterwarnings("ignore:the labels .* are text")


def splits_rows_inside(estimator):
    reason = "early stopping draws rows to keep apart, and leaves count rows"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [GradientBoostingRejectClassifier(n_rounds=30)],
    expected_failed_checks=splits_rows_inside,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(autouse=True)
def one_thread():
    with threadpool_limits(limits=1, user_api="openmp"):
        yield


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    X = random.normal(size=(10_000, 5))
    X[:, 1] = random.integers(0, 9, 10_000) * 3.0
    X[:, 3] = random.integers(0, 60, 10_000) - 7.0
    told = X[:, 0] + np.sin(X[:, 2]) + (X[:, 1] % 2) + (X[:, 3] % 3 == 0)
    y = np.where(told + random.normal(size=10_000) > 1.2, "b", "a")
    X[random.random(X.shape) < 0.1] = np.nan
    return X, y


SHAPES = [
    {},
    {"categorical_features": [1, 3]},
    {"max_depth": None, "max_leaf_nodes": 31, "categorical_features": [3]},
    {"max_depth": 1},
]


@pytest.mark.parametrize("parameters", SHAPES, ids=str)
def test_scores_are_the_same_bits_on_10000_rows(table, parameters):
    X, y = table
    shape = {"max_depth": 3, "max_iter": 60, "random_state": 0} | parameters
    model = HistGradientBoostingClassifier(**shape).fit(X[:4000], y[:4000])
    X = X.copy()
    X[:50, 1], X[50:100, 3] = 77.0, -100.0  # categories never seen
    X[100:150] = np.nan
    wanted = model.decision_function(X)
    scorer = load(histogram_trees_payload(model))
    told = scorer.score(X)
    assert (told == wanted).all()
    assert ((told > 0) == (model.predict(X) == "b")).all()
    for size in (1, 5, 256, 257):
        for start in range(0, 5000, 631):
            here = slice(start, start + size)
            assert (scorer.score(X[here]) == wanted[here]).all()


def test_the_wrapper_is_its_payload(table):
    X, y = table
    model = GradientBoostingRejectClassifier(n_rounds=60, categorical_features=[1, 3])
    model.fit(X[:2000], y[:2000])
    scorer = load(model.scorer_payload())
    assert scorer.missing
    assert scorer.n_features == 5
    assert scorer.reject_scores(X) is None
    assert scorer.probability(X) is None
    assert (scorer.score(X) == model.decision_function(X)).all()
    assert (model.decision_function(X) == model.model_.decision_function(X)).all()
    assert model.predict_proba(X) == pytest.approx(model.model_.predict_proba(X))
    assert ((model.predict(X) == "b") == (model.model_.predict(X) > 0)).all()
    assert set(np.unique(model.decide(X))) == {-1, 1}
    assert model.score(X[2000:], y[2000:]) > 0.7


def test_fitting_in_parts_gives_the_same_model(table):
    X, y = table[0][:1000], table[1][:1000]
    whole = GradientBoostingRejectClassifier(n_rounds=70, patience=5).fit(X, y)
    seen = []
    parts = GradientBoostingRejectClassifier(n_rounds=70, patience=5)
    parts._progress = lambda fraction, _: seen.append(fraction) or True
    parts.fit(X, y)
    assert parts.n_rounds_ == whole.n_rounds_
    assert (parts.decision_function(X) == whole.decision_function(X)).all()
    assert seen[0] == 0.0
    assert len(seen) >= 2


def test_progress_stops_the_fit(table):
    model = GradientBoostingRejectClassifier()
    model._progress = lambda fraction, _: fraction == 0.0
    with pytest.raises(Interrupted):
        model.fit(table[0][:300], table[1][:300])


def test_a_fit_that_told_its_progress_can_be_sent(table):
    model = GradientBoostingRejectClassifier(n_rounds=5)
    model.fit(table[0][:300], table[1][:300])
    told = GradientBoostingRejectClassifier(n_rounds=5)
    told._progress = always
    told.fit(table[0][:300], table[1][:300])
    sent = pickle.loads(pickle.dumps(told))
    X = table[0]
    assert (sent.decision_function(X) == model.decision_function(X)).all()


def always(_fraction, _message):
    return True


def noisy(n_rows, signal, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    return X, np.where(signal * X[:, 0] + random.normal(size=n_rows) > 0, 1, -1)


@pytest.mark.parametrize("signal", [1.0, 0.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_early_stopping_returns_to_the_best_round(signal, weighted):
    X, y = noisy(600, signal)
    weight = 1.0 + np.arange(600) % 3 if weighted else None
    stopped = GradientBoostingRejectClassifier(patience=12).fit(X, y, weight)
    path = stopped.validation_path_
    assert stopped.n_rounds_ == np.argmin(path) < len(path) - 12
    rows = read_rows(stopped, X, y, weight)
    train, apart = split_rows(rows, 0.2, 0)
    p = stopped.predict_proba(apart.X)
    lost = log_loss(apart.y, p, sample_weight=apart.weight)
    assert lost == pytest.approx(path.min(), rel=1e-9)
    # The same trees as a fit of just so many rounds.
    if stopped.n_rounds_:
        exact = GradientBoostingRejectClassifier(
            n_rounds=stopped.n_rounds_, early_stopping=False
        ).fit(train.X, train.y, train.weight if weighted else None)
        assert (stopped.decision_function(X) == exact.decision_function(X)).all()
    assert (
        load(stopped.scorer_payload()).score(X) == stopped.decision_function(X)
    ).all()
    assert np.isfinite(stopped.importance_["h"]).all()


def test_no_tree_is_kept_where_none_helps():
    X, y = noisy(80, 0.0, seed=2)
    model = GradientBoostingRejectClassifier(learning_rate=1.0, patience=2).fit(X, y)
    assert model.n_rounds_ == 0
    assert len(np.unique(model.decision_function(X))) == 1
    assert (model.importance_["h"] == 0.0).all()


@pytest.mark.parametrize("seed", range(6))
def test_a_nearly_empty_column_is_no_obstacle(table, seed):
    """Early stopping may keep apart every row in which the column is known."""
    X, y = table[0][:300].copy(), table[1][:300]
    X[:, 0] = np.nan
    X[seed, 0] = 1.0
    weight = 1.0 + np.arange(300) % 2
    model = GradientBoostingRejectClassifier(n_rounds=5, random_state=seed)
    scores = model.fit(X, y, weight).decision_function(X)
    assert np.isfinite(scores).all()
    assert (load(model.scorer_payload()).score(X) == scores).all()


@pytest.mark.slow
def test_a_nearly_empty_column_of_a_large_table():
    """The value may be missing in the 200,000 rows in which bins are looked for."""
    draw = np.random.default_rng(0)
    X = np.column_stack([draw.normal(size=800_000), np.full(800_000, np.nan)])
    y = X[:, 0] + draw.normal(size=len(X)) > 0
    X[7, 1] = 1.0
    model = GradientBoostingRejectClassifier(n_rounds=1, early_stopping=False)
    assert np.isfinite(model.fit(X, y).decision_function(X[:9])).all()


def test_weights_count(table):
    X, y = table[0][:1500], table[1][:1500]
    weight = np.where(y == "b", 9.0, 1.0)
    plain = GradientBoostingRejectClassifier(n_rounds=30).fit(X, y)
    heavy = GradientBoostingRejectClassifier(n_rounds=30).fit(X, y, weight)
    assert np.mean(heavy.predict(X) == "b") > np.mean(plain.predict(X) == "b") + 0.1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"n_rounds": 0}, "n_rounds"),
        ({"max_depth": 0}, "max_depth"),
        ({"learning_rate": 2.0}, "learning_rate"),
        ({"l2_regularization": -1.0}, "l2_regularization"),
    ],
)
def test_bad_parameters_are_refused(table, parameters, said):
    with pytest.raises(ValueError, match=said):
        GradientBoostingRejectClassifier(**parameters).fit(table[0][:99], table[1][:99])
