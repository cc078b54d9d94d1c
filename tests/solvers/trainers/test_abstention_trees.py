"""Boosted trees of (h, r): their steps by finite differences, decisions by Bayes."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers.boosting.codes import encode, histogram_codes
from solvers.boosting.surrogates import calibrated
from solvers.boosting.tree_descent import TreeBoosting, best_constant, boost_trees
from solvers.boosting.tree_growth import grow
from solvers.boosting.tree_rows import measure
from solvers.costs import CostMatrix
from solvers.errors import Interrupted, UnknownNameError
from solvers.scoring import load
from solvers.trainers.abstention_trees import AbstentionTreeBoostingClassifier

COSTS = CostMatrix(1, 5, 0.6, 0.3)
LOSSES = ("logistic", "exponential")


def splits_rows_inside(estimator):
    reason = "early stopping draws rows to keep apart: a row and its twin may be parted"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [AbstentionTreeBoostingClassifier(n_rounds=40)],
    expected_failed_checks=splits_rows_inside,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def noisy(n_rows=500, seed=0, missing=0.0):
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, size=(n_rows, 2))
    eta = 1.0 / (1.0 + np.exp(-(2.0 * X[:, 0] + 1.5 * np.cos(2.0 * X[:, 1]))))
    y = np.where(random.random(n_rows) < eta, 1, -1)
    X[random.random(X.shape) < missing] = np.nan
    return X, y, eta


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_and_curvatures_are_finite_differences(loss):
    surrogate = calibrated(COSTS, loss=loss)
    random = np.random.default_rng(0)
    y, weight = np.where(random.random(40) < 0.4, 1.0, -1.0), random.uniform(1, 3, 40)
    h, r = random.normal(size=40), random.normal(size=40)
    stats = np.empty((40, 6))
    rows = (y, weight * surrogate.errors(y), weight * surrogate.pulls(y), weight)
    measure(rows, h, r, (surrogate.b, loss == "logistic"), stats)

    def loss_at(dh, dr):
        return weight * surrogate.value(y, h + dh, r + dr)

    e = 1e-4
    middle = loss_at(0, 0)
    close = {"rel": 1e-5, "abs": 1e-5}
    assert stats[:, 0] == pytest.approx(
        (loss_at(e, 0) - loss_at(-e, 0)) / 2 / e, **close
    )
    assert stats[:, 1] == pytest.approx(
        (loss_at(0, e) - loss_at(0, -e)) / 2 / e, **close
    )
    close = {"rel": 1e-3, "abs": 1e-4}
    bend = (loss_at(e, 0) - 2 * middle + loss_at(-e, 0)) / e**2
    assert stats[:, 2] == pytest.approx(bend, **close)
    cross = loss_at(e, e) - loss_at(e, -e) - loss_at(-e, e) + loss_at(-e, -e)
    assert stats[:, 3] == pytest.approx(cross / 4 / e**2, **close)
    bend = (loss_at(0, e) - 2 * middle + loss_at(0, -e)) / e**2
    assert stats[:, 4] == pytest.approx(bend, **close)
    assert (stats[:, 5] == weight).all()


def worth(stats, penalty):
    g = stats[:, :2].sum(axis=0)
    a, c, d = stats[:, 2:5].sum(axis=0)
    curvature = np.array([[a + penalty, c], [c, d + penalty]])
    return 0.5 * g @ np.linalg.solve(curvature, g), -np.linalg.solve(curvature, g)


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_split_is_the_best_of_all(seed, missing):
    X, y, _ = noisy(80, seed, missing)
    X = np.round(X * 2) / 2
    codes = histogram_codes(X, np.ones(80), 255)
    surrogate = calibrated(COSTS, loss="logistic")
    stats = np.empty((80, 6))
    sides = y.astype(float)
    rows = (sides, surrogate.errors(sides), surrogate.pulls(sides), np.ones(80))
    measure(rows, np.zeros(80), np.zeros(80), (surrogate.b, True), stats)
    leaf_of = np.empty(80, dtype=np.int32)
    nodes, values = grow(codes.values, codes.counts, stats, (1, 1.0, 5.0), leaf_of)
    best = -1.0
    for f, cuts in enumerate(codes.cuts):
        for cut in [*cuts, np.inf]:
            for to_left in (False, True):
                left = X[:, f] <= cut
                left |= np.isnan(X[:, f]) & to_left
                if 5 <= left.sum() <= 75:
                    gain = worth(stats[left], 1.0)[0] + worth(stats[~left], 1.0)[0]
                    best = max(best, gain)
    left = leaf_of == nodes[0, 3]
    assert (left | (leaf_of == nodes[0, 4])).all()
    ours = worth(stats[left], 1.0)[0] + worth(stats[~left], 1.0)[0]
    assert ours == pytest.approx(best)
    assert values[nodes[0, 3]] == pytest.approx(worth(stats[left], 1.0)[1])


@pytest.mark.parametrize("loss", LOSSES)
def test_growing_and_walking_agree_and_sisters_add_up(loss):
    X, y, _ = noisy(600, 1, 0.1)
    codes = histogram_codes(X, np.ones(600), 64)
    surrogate, sides = calibrated(COSTS, loss=loss), y.astype(float)
    settings = TreeBoosting(20, 0.2, 4, 1.0, 5.0)
    path = boost_trees(surrogate, codes, sides, np.ones(600), settings)
    h, r = np.full(600, path.base[0]), np.full(600, path.base[1])
    for tree in path.trees:
        leaves = tree.leaves(encode(X, codes))
        sizes = np.bincount(leaves)
        assert sizes[sizes > 0].min() >= 5
        assert (tree.nodes[leaves, 0] == -1).all()
        h, r = h + tree.values[leaves, 0], r + tree.values[leaves, 1]
    assert path.objective[-1] == pytest.approx(surrogate.value(sides, h, r).mean())
    assert path.objective[-1] < path.objective[0]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_the_constant_pair_is_the_minimiser(loss, share):
    y = np.where(np.arange(1000) < 1000 * share, 1.0, -1.0)
    surrogate = calibrated(COSTS, loss=loss)
    h, r = best_constant(surrogate, y, np.ones(1000))
    here = surrogate.value(y, np.full(1000, h), np.full(1000, r)).mean()
    for dh, dr in ((1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3)):
        moved = surrogate.value(y, np.full(1000, h + dh), np.full(1000, r + dr)).mean()
        assert moved > here


def test_the_currency_of_the_costs_does_not_matter():
    X, y, _ = noisy()
    told = [
        AbstentionTreeBoostingClassifier(
            CostMatrix(k, 5 * k, 0.6 * k, 0.3 * k), n_rounds=30, early_stopping=False
        )
        .fit(X, y)
        .decision_function(X)
        for k in (1.0, 100.0)
    ]
    assert told[0] == pytest.approx(told[1], abs=1e-6)


@pytest.mark.parametrize("rule", ["embedded", "chow"])
@pytest.mark.parametrize("loss", LOSSES)
def test_decide_is_zero_exactly_where_the_reject_function_is_not_positive(loss, rule):
    X, y, _ = noisy(missing=0.1)
    model = AbstentionTreeBoostingClassifier(COSTS, loss=loss, rule=rule)
    told = model.fit(X, y).decide(X)
    r, h = model.reject_function(X), model.decision_function(X)
    p = model.predict_proba(X)[:, 1]
    assert ((told == 0) == (r <= 0)).all()
    assert (told[r > 0] == np.where(h[r > 0] > 0, 1, -1)).all()
    assert 0 < np.mean(told == 0) < 1
    if rule == "chow":
        expected = np.where(p > COSTS.p_plus, 1, np.where(p < COSTS.p_minus, -1, 0))
        assert (told == expected).all()


@pytest.mark.parametrize(
    "costs", [CostMatrix(1, 1, 0.1, 0.1), CostMatrix(1, 1, 0.25, 0.25), COSTS], ids=str
)
def test_on_many_rows_the_risk_is_nearly_bayes(costs):
    X, y, _ = noisy(100_000, 0)
    model = AbstentionTreeBoostingClassifier(costs, n_rounds=60, learning_rate=0.3)
    model.fit(X, y)
    X, _, eta = noisy(50_000, 1)
    price = costs.expected(eta)
    for rule in ("embedded", "chow"):
        told = model.set_params(rule=rule).decide(X)
        paid = np.choose(told + 1, [price[:, 1], price[:, 2], price[:, 0]])
        assert paid.mean() <= price.min(axis=1).mean() + 0.005
    assert abs(model.predict_proba(X)[:, 1] - eta).mean() < 0.05


def test_early_stopping_returns_to_the_best_round():
    X, y, _ = noisy(400, 3)
    model = AbstentionTreeBoostingClassifier(patience=10, learning_rate=0.3).fit(X, y)
    path = model.validation_path_
    assert model.n_rounds_ == int(np.argmin(path))
    assert model.n_rounds_ + 10 == len(path) - 1 < 500
    assert len(model.objective_path_) == model.n_rounds_ + 1


def test_progress_is_told_and_stops_the_fit():
    X, y, _ = noisy(100)
    seen = []
    model = AbstentionTreeBoostingClassifier(n_rounds=10)
    model._progress = lambda fraction, _: seen.append(fraction) or len(seen) < 3
    with pytest.raises(Interrupted):
        model.fit(X, y)
    assert seen == [0.0, 0.1, 0.2]


def test_the_payload_scores_alike_in_any_batch():
    X, y, _ = noisy(1500, missing=0.1)
    model = AbstentionTreeBoostingClassifier(COSTS, max_depth=3).fit(X, y)
    scorer = load(model.scorer_payload())
    wanted = (scorer.score(X), scorer.reject_scores(X), scorer.probability(X))
    assert (wanted[0] == model.decision_function(X)).all()
    assert (wanted[1] == model.reject_function(X)).all()
    again = load(scorer.payload())
    for size in (1, 3, 255, 256, 257, 700):
        for start in range(0, 1500 - size, 211):
            rows, here = X[start : start + size], slice(start, start + size)
            told = (
                again.score(rows),
                again.reject_scores(rows),
                again.probability(rows),
            )
            for ours, theirs in zip(told, wanted, strict=True):
                assert (ours == theirs[here]).all()


def test_no_rounds_and_empty_columns_are_constant_answers():
    X, y, _ = noisy(50)
    none = AbstentionTreeBoostingClassifier(n_rounds=0).fit(X, y)
    assert len(np.unique(none.decision_function(X))) == 1
    empty = np.full((50, 2), np.nan)
    model = AbstentionTreeBoostingClassifier(n_rounds=5).fit(empty, y)
    assert len(np.unique(model.decision_function(empty))) == 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"max_depth": 0}, "max_depth"),
        ({"max_depth": 9}, "at most 8"),
        ({"l2_regularization": 0.0}, "l2_regularization"),
        ({"min_leaf_weight": -1.0}, "min_leaf_weight"),
        ({"max_bins": None}, "max_bins"),
        ({"n_rounds": -1}, "n_rounds"),
        ({"patience": 0}, "patience"),
    ],
)
def test_bad_parameters_are_refused(parameters, said):
    X, y, _ = noisy(30)
    with pytest.raises(ValueError, match=said):
        AbstentionTreeBoostingClassifier(**parameters).fit(X, y)


def test_unknown_names_are_refused():
    X, y, _ = noisy(30)
    for parameters in ({"rule": "nonesuch"}, {"loss": "nonesuch"}):
        with pytest.raises(UnknownNameError, match="nonesuch"):
            AbstentionTreeBoostingClassifier(**parameters).fit(X, y)
