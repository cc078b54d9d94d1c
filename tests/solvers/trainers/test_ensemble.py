"""An ensemble: no worse than its members, of those that help, priced without a fit."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import (
    CostMatrix,
    EnsembleRejectClassifier,
    GradientBoostingRejectClassifier,
    HingeSVC,
    LogisticRejectClassifier,
    RandomisedTreesRejectClassifier,
    c_path,
)
from solvers.errors import Interrupted
from solvers.metrics import expected_cost
from solvers.rules import ChowRule
from solvers.scoring import load
from solvers.trainers.ensemble_members import automatic_members, score_members
from solvers.trainers.outside_scores import FitRows
from solvers.trainers.row_splits import fold_split

COSTS = CostMatrix(1.0, 5.0, 0.6, 0.3)
TREES = GradientBoostingRejectClassifier(n_rounds=30, early_stopping=False)
DEAF = GradientBoostingRejectClassifier(n_rounds=1, min_samples_leaf=1_000_000)
MEMBERS = [
    ("line", LogisticRejectClassifier()),
    ("curve", HingeSVC(C=3.0)),
    ("steps", TREES),
]
RANDOM = RandomisedTreesRejectClassifier(n_trees=20)
CHECKED = [("line", LogisticRejectClassifier()), ("curve", HingeSVC())]


@parametrize_with_checks(
    [EnsembleRejectClassifier(CHECKED, cv=3, steps=5)],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "a calibration on few rows"
        " leans on their number, which weights do not change"
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def draw(n, seed):
    """A line, a ring and a step; one column says nothing."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    odds = 1.5 * X[:, 0] + 2 * (np.hypot(X[:, 1], X[:, 2]) > 1.2) - 1.5 * (X[:, 2] > 0)
    return X, np.where(random.random(n) < 1 / (1 + np.exp(-2 * odds)), 1, -1)


@pytest.fixture(scope="module")
def fitted():
    return EnsembleRejectClassifier(MEMBERS, COSTS).fit(*draw(600, 0))


def test_weights_add_up_and_members_of_none_are_not_kept(fitted):
    X, y = draw(600, 0)
    assert sum(fitted.weights_.values()) == pytest.approx(1.0)
    noise = np.random.default_rng(1).permutation(y)
    one = EnsembleRejectClassifier(
        [("line", LogisticRejectClassifier()), ("deaf", DEAF)], steps=1
    ).fit(X, y)
    assert one.weights_ == {"line": 1.0, "deaf": 0.0}
    assert list(one.members_) == ["line"]
    assert len(one.scorer_payload()["members"]) == 1
    lost = EnsembleRejectClassifier(MEMBERS).fit(X, noise)
    assert lost.log_loss_ > fitted.log_loss_


def test_the_mean_loses_no_more_than_its_best_member(fitted):
    assert fitted.log_loss_ <= min(fitted.log_losses_.values())


def test_on_new_rows_it_costs_less_than_any_member_alone(fitted):
    X, y = draw(20_000, 5)
    cost = expected_cost(y, fitted.decide(X), COSTS)
    for member in MEMBERS:
        alone = EnsembleRejectClassifier([member], COSTS).fit(*draw(600, 0))
        assert cost < expected_cost(y, alone.decide(X), COSTS)


def test_new_prices_are_new_thresholds_on_the_same_probability(fitted):
    X, _ = draw(500, 7)
    dearer = CostMatrix(1.0, 9.0, 0.6, 0.3)
    again = EnsembleRejectClassifier(MEMBERS, dearer).fit(*draw(600, 0))
    np.testing.assert_array_equal(again.probability(X), fitted.probability(X))
    told = ChowRule(dearer).fit().decide(fitted.probability(X))
    np.testing.assert_array_equal(again.decide(X), told)


def test_the_stored_form_has_the_same_bits_in_any_batch(fitted):
    X, _ = draw(50, 9)
    served = load(fitted.scorer_payload())
    whole = fitted.positive_score(X)
    np.testing.assert_array_equal(served.score(X), whole)
    alone = [served.score(X[i : i + 1])[0] for i in range(50)]
    np.testing.assert_array_equal(alone, whole)


def test_labels_of_any_name_and_either_side_are_learnt_alike(fitted):
    X, y = draw(600, 0)
    named = np.where(y > 0, "a", "b")
    same = EnsembleRejectClassifier(MEMBERS, COSTS, pos_label="a").fit(X, named)
    np.testing.assert_array_equal(same.decide(X), fitted.decide(X))
    assert same.pos_label_ == "a"


@pytest.mark.parametrize(
    ("members", "error", "said"),
    [
        ([], ValueError, "names of their own"),
        ([("a", TREES), ("a", TREES)], ValueError, "names of their own"),
        ([("a", object())], TypeError, "stored as plain data"),
    ],
)
def test_members_that_cannot_be_are_refused(members, error, said):
    with pytest.raises(error, match=said):
        EnsembleRejectClassifier(members).fit(*draw(40, 0))


def test_the_table_tells_what_became_of_each_member():
    X, y = draw(200, 0)
    flawed = HingeSVC(C=-1.0)
    model = EnsembleRejectClassifier([*MEMBERS[:2], ("flawed", flawed), ("deaf", DEAF)])
    table = {line["member"]: line for line in model.fit(X, y).table_}
    assert sorted(table) == ["curve", "deaf", "flawed", "line"]
    assert "C must" in table["flawed"]["dropped"]
    assert table["flawed"]["log_loss"] is None
    assert table["curve"]["log_loss"] is not None  # though they share kernel rows
    for name, line in table.items():
        assert line["weight"] == model.weights_[name]
        assert (
            (line["dropped"] is None)
            is (line["weight"] > 0)
            is (name in model.members_)
        )
    weights = [line["weight"] for line in model.table_]
    assert weights == sorted(weights, reverse=True)
    with pytest.raises(ValueError, match="no member could be fitted"):
        EnsembleRejectClassifier([("flawed", flawed)]).fit(X, y)


def test_whatever_the_budget_there_is_an_answer_by_the_first_that_can_give_one():
    X, y = draw(100, 0)
    members = [("flawed", HingeSVC(C=-1.0, gamma=2.0)), *MEMBERS]
    model = EnsembleRejectClassifier(members, budget_seconds=1e-9).fit(X, y)
    assert model.weights_ == {"flawed": 0.0, "line": 1.0, "curve": 0.0, "steps": 0.0}
    why = {line["member"]: line["dropped"] for line in model.table_}
    assert why["curve"] == why["steps"] == "out of time"
    with pytest.raises(ValueError, match="budget_seconds"):
        EnsembleRejectClassifier(budget_seconds=0.0).fit(X, y)


def test_machines_that_differ_in_c_score_as_if_fitted_one_by_one():
    X, y = draw(200, 0)
    rows, split = FitRows(X, y, np.ones(200)), fold_split(3, X, y, None)
    members = [(f"{C}", HingeSVC(C)) for C in (3.0, 0.1)]
    together = score_members(members, rows, split, 60.0)
    for place, C in enumerate((3.0, 0.1)):
        alone = [
            c_path(HingeSVC(), X[a], y[a], (0.1, C))[1].positive_score(X[b])
            for a, b in split
        ]
        np.testing.assert_allclose(
            together[place].scores, np.concatenate(alone), atol=5e-3
        )


def test_the_scores_that_are_left_are_those_of_the_weighted_mean():
    X, y = draw(300, 0)
    folds = [
        (np.arange(150, 300), np.arange(150)),
        (np.arange(150), np.arange(150, 250)),
    ]
    model = EnsembleRejectClassifier(MEMBERS, cv=folds).fit(X, y)
    np.testing.assert_array_equal(model.oof_rows_, np.arange(250))
    seen = y[model.oof_rows_] * model.oof_scores_
    assert np.logaddexp(0, -seen).mean() == pytest.approx(model.log_loss_)
    twice = [(np.arange(150), np.arange(150, 300))] * 2
    with pytest.raises(ValueError, match="tests a row twice"):
        EnsembleRejectClassifier(MEMBERS, cv=twice).fit(X, y)


@pytest.mark.parametrize("stop_after", [1, 3, 40])
def test_it_stops_when_told_to_and_its_progress_never_goes_back(stop_after):
    model = EnsembleRejectClassifier([*MEMBERS, ("random", RANDOM)])
    told = []

    def some(fraction, message):
        told.append(fraction)
        return len(told) < stop_after

    model._progress = some
    with pytest.raises(Interrupted):
        model.fit(*draw(300, 0))
    assert len(told) == stop_after
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("rows", "columns", "first"),
    [
        (500, 8, "logistic"),
        (200_000, 8, "gradient-boosting"),
        (500, 10_000, "extra-trees"),
    ],
)
def test_what_takes_least_time_comes_first(rows, columns, first):
    names = [name for name, _ in automatic_members(rows, columns)]
    assert names[0].startswith(first)
    assert len(set(names)) == len(names)


def test_machines_of_very_many_rows_are_those_of_landmarks():
    for rows, landmarks in ((200_000, None), (200_001, 500)):
        members = [one for _, one in automatic_members(rows, 8)]
        machines = [one for one in members if isinstance(one, HingeSVC)]
        assert {one.landmarks for one in machines} == {landmarks}


def test_thirty_rows_a_constant_column_and_a_second_are_enough():
    X, y = draw(30, 0)
    X[:, 3] = 1.0
    model = EnsembleRejectClassifier(budget_seconds=1.0).fit(X, y)
    assert sum(model.weights_.values()) == pytest.approx(1.0)
    rare = np.where(np.arange(30) == 7, 1, -1)
    with pytest.raises(ValueError, match="at least two rows of each class"):
        EnsembleRejectClassifier(budget_seconds=1.0).fit(X, rare)


def test_ten_thousand_columns_in_a_second_have_an_answer():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 10_000))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = EnsembleRejectClassifier(budget_seconds=1.0).fit(X, y)
    assert np.isfinite(model.positive_score(X)).all()
