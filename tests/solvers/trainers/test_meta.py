import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import (
    CostMatrix,
    GradientBoostingRejectClassifier,
    RejectOptionClassifier,
)
from solvers.errors import UnknownNameError
from solvers.metrics import expected_cost
from solvers.rules import (
    BoundedErrorRule,
    ChowRule,
    EmbeddedRule,
    ExpectedCostRule,
    MutualInformationRule,
)
from solvers.trainers.outside_scores import scores_of


@parametrize_with_checks(
    [
        RejectOptionClassifier(LogisticRegression(), "expected-cost"),
        RejectOptionClassifier(DecisionTreeClassifier(random_state=0), "chow"),
    ]
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def rows():
    return make_classification(
        400, 6, flip_y=0.15, class_sep=0.8, weights=[0.6], random_state=0
    )


def test_the_rule_sees_scores_of_rows_its_model_did_not(rows):
    X, y = rows
    model = RejectOptionClassifier(LogisticRegression(), ExpectedCostRule()).fit(X, y)
    assert len(model.split_) == 5
    for train, test in model.split_:
        assert not set(train) & set(test)
        fresh = LogisticRegression().fit(X[train], y[train])
        place = np.isin(model.oof_rows_, test)
        assert np.allclose(model.oof_scores_[place], fresh.decision_function(X[test]))
    assert sorted(model.oof_rows_) == list(range(400))
    signs = np.where(y[model.oof_rows_] == 1, 1, -1)
    rule = ExpectedCostRule().fit(model.oof_scores_, signs)
    assert (model.rule_.lower_, model.rule_.upper_) == (rule.lower_, rule.upper_)
    whole = LogisticRegression().fit(X, y)
    assert np.allclose(model.decision_function(X), whole.decision_function(X))
    assert np.array_equal(model.predict(X), whole.predict(X))


SCORERS = [
    LinearSVC(),
    SVC(),
    Perceptron(),
    GaussianNB(),
    KNeighborsClassifier(),
    RandomForestClassifier(10, random_state=0),
    make_pipeline(StandardScaler(), SVC()),
]


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("rule", ["expected-cost", "mutual-information", "chow"])
def test_any_classifier_with_a_score_gets_a_reject_option(scorer, rule, rows):
    X, y = rows
    model = RejectOptionClassifier(scorer, rule).fit(X, y)
    decided = model.decide(X)
    assert decided.dtype == np.int8
    assert set(np.unique(decided)) <= {-1, 0, 1}
    p = model.probability(X)
    assert ((p > 0) & (p < 1)).all()
    if rule == "chow":
        costs = CostMatrix()
        expected = np.where(p > costs.p_plus, 1, np.where(p < costs.p_minus, -1, 0))
        assert np.array_equal(decided, expected)


LABELS = [(-1, 1), (0, 1), (0, 2), (False, True), ("benign", "malign")]


@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_labels_keep_reject_apart_from_the_negative_class(labels, rows):
    X, y = rows
    own = np.array(labels)[y]
    model = RejectOptionClassifier(
        LogisticRegression(), "expected-cost", pos_label=labels[1]
    ).fit(X, own)
    reference = RejectOptionClassifier(LogisticRegression(), "expected-cost").fit(X, y)
    assert model.classes_.tolist() == list(labels)
    decided = model.decide(X)
    assert np.array_equal(decided, reference.decide(X))
    assert (decided == 0).any()
    assert set(model.predict(X).tolist()) == set(labels)
    assert expected_cost(own, decided, CostMatrix(), positive=labels[1]) == (
        expected_cost(y, reference.decide(X), CostMatrix())
    )


def test_a_promise_is_counted_on_rows_the_served_model_never_saw(rows):
    X, y = make_classification(2000, 6, class_sep=1.5, random_state=1)
    model = RejectOptionClassifier(LogisticRegression(), BoundedErrorRule(0.2))
    model.fit(X, y)
    ((train, test),) = model.split_
    assert len(test) == 500
    kept_apart = LogisticRegression().fit(X[train], y[train])
    assert np.allclose(model.decision_function(X), kept_apart.decision_function(X))
    assert np.array_equal(np.sort(model.oof_rows_), np.sort(test))
    assert model.rule_.feasible_
    with pytest.raises(ValueError, match="no sample_weight"):
        model.fit(X, y, np.ones(2000))
    own_split = RejectOptionClassifier(
        LogisticRegression(), BoundedErrorRule(0.2), cv=KFold(2)
    ).fit(X, y)
    assert len(own_split.oof_rows_) == 1000


def test_weights_reach_the_estimator_and_the_rule(rows):
    X, y = rows
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 2, 400).astype(float)
    kept = weights > 0
    cv = [(np.arange(200), np.arange(200, 400)), (np.arange(200, 400), np.arange(200))]
    some = RejectOptionClassifier(LogisticRegression(), "expected-cost", cv=cv)
    some.fit(X, y, weights)
    fewer = [
        (
            np.searchsorted(np.flatnonzero(kept), train[kept[train]]),
            np.searchsorted(np.flatnonzero(kept), test[kept[test]]),
        )
        for train, test in cv
    ]
    only = RejectOptionClassifier(LogisticRegression(), "expected-cost", cv=fewer)
    only.fit(X[kept], y[kept])
    assert np.allclose(some.decision_function(X), only.decision_function(X), atol=1e-4)
    assert some.rule_.lower_ == pytest.approx(only.rule_.lower_, abs=1e-3)
    pipe = RejectOptionClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), "expected-cost"
    ).fit(X, y, weights)
    plain = clone(pipe).fit(X, y)
    assert not np.allclose(pipe.decision_function(X), plain.decision_function(X))
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        RejectOptionClassifier(KNeighborsClassifier(), "chow").fit(X, y, weights)


@pytest.mark.parametrize(
    "scorer",
    [SVC(probability=True), make_pipeline(StandardScaler(), SVC(probability=True))],
    ids=["alone", "in a pipeline"],
)
def test_an_svc_with_two_contradicting_outputs_is_refused(scorer, rows):
    with pytest.raises(ValueError, match="probability=True"):
        RejectOptionClassifier(scorer, "chow").fit(*rows)


class Silent(ClassifierMixin, BaseEstimator):
    def fit(self, _X, _y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


def test_what_has_no_score_or_no_fitting_rule_is_refused(rows):
    with pytest.raises(TypeError, match="neither of decision_function"):
        RejectOptionClassifier(Silent(), "chow").fit(*rows)
    with pytest.raises(ValueError, match="learn to reject"):
        RejectOptionClassifier(LogisticRegression(), EmbeddedRule()).fit(*rows)
    with pytest.raises(UnknownNameError, match="chow"):
        RejectOptionClassifier(LogisticRegression(), "cow").fit(*rows)


def test_a_split_that_tests_a_row_twice_or_a_class_of_one_row_is_refused(rows):
    X, y = rows
    twice = ShuffleSplit(3, test_size=0.5, random_state=0)
    with pytest.raises(ValueError, match="tests a row twice"):
        RejectOptionClassifier(LogisticRegression(), "chow", cv=twice).fit(X, y)
    lonely = np.where(np.arange(400) == 0, 1, 0)
    with pytest.raises(ValueError, match="two rows of each class"):
        RejectOptionClassifier(LogisticRegression(), "chow").fit(X, lonely)


def test_it_is_cloned_and_tuned_like_any_other(rows):
    X, y = rows
    rule = MutualInformationRule("exact")
    model = RejectOptionClassifier(LogisticRegression(), rule)
    assert clone(model).rule is not rule
    assert clone(model).rule.method == "exact"
    model.fit(X, y)
    assert not hasattr(rule, "band_")
    search = GridSearchCV(
        RejectOptionClassifier(LogisticRegression(), ExpectedCostRule()),
        {"estimator__C": [0.1, 1.0], "rule__method": ["roc", "newton"]},
        cv=2,
    ).fit(X, y)
    assert search.best_estimator_.rule_.method in {"roc", "newton"}


def test_certain_probabilities_become_finite_scores():
    X, y = load_breast_cancer(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    p = forest.predict_proba(X)[:, 1]
    assert {0.0, 1.0} <= set(p)
    scores = scores_of(forest, X)
    assert np.isfinite(scores).all()
    ranks = [np.unique(v).searchsorted(v) for v in (p, scores)]
    assert np.array_equal(*ranks)
    model = RejectOptionClassifier(forest, ChowRule(reject_threshold=0.1)).fit(X, y)
    assert np.mean(model.decide(X) == 0) < 0.5


class TestEarlyStopping:
    """A booster's models are all fitted with the mean number of rounds of the folds."""

    @staticmethod
    def rows(n=300):
        rng = np.random.default_rng(5)
        X = rng.normal(size=(n, 3))
        return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1, -1)

    def test_models_of_folds_and_the_last_one_have_one_number(self):
        X, y = self.rows()
        booster = GradientBoostingRejectClassifier()
        model = RejectOptionClassifier(booster, "chow").fit(X, y)
        early = [clone(booster).fit(X[rows], y[rows]) for rows, _ in model.split_]
        rounds = [one.n_rounds_ for one in early]
        counted = [len(rows) for rows, _ in model.split_]
        assert len(set(rounds)) > 1, "these rows show nothing"
        mean = round(np.average(rounds, weights=counted))
        assert model.estimator_.n_rounds_ == mean
        fixed = clone(booster).set_params(early_stopping=False, n_rounds=mean)
        for rows, tested in model.split_:
            scores = clone(fixed).fit(X[rows], y[rows]).decision_function(X[tested])
            places = np.searchsorted(np.sort(model.oof_rows_), tested)
            in_order = model.oof_scores_[np.argsort(model.oof_rows_)]
            assert np.array_equal(in_order[places], scores)

    def test_a_promise_keeps_its_one_model(self):
        X, y = self.rows()
        booster = GradientBoostingRejectClassifier()
        rule = BoundedErrorRule(0.4)
        model = RejectOptionClassifier(booster, rule).fit(X, y)
        assert model.estimator_.early_stopping

    def test_a_pipeline_of_another_library_is_left_alone(self):
        X, y = self.rows()
        trees = HistGradientBoostingClassifier(early_stopping=True, max_iter=20)
        model = RejectOptionClassifier(make_pipeline(trees), "chow").fit(X, y)
        assert model.estimator_[-1].early_stopping
