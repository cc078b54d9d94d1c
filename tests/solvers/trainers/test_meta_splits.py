"""How RejectOptionClassifier divides rows: kernels, groups, odd splitters, routing."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from solvers import AbstentionBoostingClassifier, HingeSVC, RejectOptionClassifier
from solvers.rules import BoundedErrorRule

X, Y = make_classification(
    240, 4, flip_y=0.1, class_sep=1.5, shuffle=False, random_state=0
)
GROUPS = np.random.default_rng(0).permutation(np.arange(240) // 4)
PROMISE = BoundedErrorRule(0.3)


pytestmark = pytest.mark.filterwarnings("ignore:the labels .* are text")


@pytest.mark.parametrize("rule", ["expected-cost", PROMISE], ids=str)
@pytest.mark.parametrize("machine", [SVC, HingeSVC])
def test_a_precomputed_kernel_gives_what_the_kernel_gives(machine, rule):
    kernel = rbf_kernel(X, gamma=0.5)
    # A promise draws its rows by what they say, and a kernel says it otherwise.
    cv = 5 if rule != PROMISE else ShuffleSplit(1, random_state=0)

    given = RejectOptionClassifier(machine(kernel="precomputed"), rule, cv)
    given.fit(kernel[:200, :200], Y[:200])
    named = RejectOptionClassifier(machine(kernel="rbf", gamma=0.5), rule, cv)
    named.fit(X[:200], Y[:200])

    new = kernel[200:, :200]
    assert np.allclose(given.oof_scores_, named.oof_scores_, atol=0.01)
    scores, expected = given.decision_function(new), named.decision_function(X[200:])
    assert np.allclose(scores, expected, atol=0.01)
    assert given.decide(new).shape == (40,)


@pytest.mark.parametrize("rule", ["expected-cost", PROMISE], ids=str)
@pytest.mark.parametrize("cv", [4, None, GroupKFold(3)], ids=str)
def test_a_group_is_never_on_both_sides(cv, rule):
    model = RejectOptionClassifier(LogisticRegression(), rule, cv)

    model.fit(X, np.where(Y == 1, "yes", "no"), groups=GROUPS)

    for train, test in model.split_:
        assert not set(GROUPS[train]) & set(GROUPS[test])
    if model.rule_.kind == "expected-cost":
        assert sorted(model.oof_rows_) == list(range(240))


def test_groups_reach_an_estimator_that_keeps_rows_apart_itself():
    seen = []

    class Booster(AbstentionBoostingClassifier):
        def fit(self, X, y, sample_weight=None, groups=None):
            seen.append(groups)
            return super().fit(X, y, sample_weight, groups)

    model = RejectOptionClassifier(Booster(n_rounds=3, early_stopping=True), cv=3)
    model.fit(X, Y, groups=GROUPS)

    parts = [GROUPS[train] for train, _ in model.split_]
    # Once for the number of rounds, once for the scores, and the last fit on all rows.
    for got, expected in zip(seen, [*parts, *parts, GROUPS], strict=True):
        assert np.array_equal(got, expected)


def test_groups_of_another_length_are_refused():
    with pytest.raises(ValueError, match=r"(?i)groups|inconsistent"):
        RejectOptionClassifier(LogisticRegression()).fit(X, Y, groups=GROUPS[:-1])


@pytest.mark.parametrize("scorer", [LogisticRegression(), DecisionTreeClassifier()])
def test_a_split_that_trains_on_one_class_is_refused_by_name(scorer):
    order = np.argsort(Y, kind="stable")

    model = RejectOptionClassifier(scorer, cv=KFold(2))
    with pytest.raises(ValueError, match="split 1 of cv trains on one class only"):
        model.fit(X[order], Y[order])


def test_cv_without_a_split_is_refused():
    with pytest.raises(ValueError, match="cv gives no split"):
        RejectOptionClassifier(LogisticRegression(), cv=[]).fit(X, Y)


def test_none_is_the_default_of_five_parts():
    order = np.argsort(Y, kind="stable")
    rows, labels = X[order], Y[order]
    for rule in ("expected-cost", PROMISE):
        none, five = (
            RejectOptionClassifier(LogisticRegression(), rule, cv).fit(rows, labels)
            for cv in (None, 5)
        )
        for one, other in zip(none.split_, five.split_, strict=True):
            assert np.array_equal(one[1], other[1])


def test_a_rule_that_needs_a_parameter_names_it():
    for rule, needed in {
        "bounded-error": "max_error",
        "bounded-cost": "max_cost",
    }.items():
        with pytest.raises(ValueError, match=f"{rule} needs {needed}"):
            RejectOptionClassifier(LogisticRegression(), rule).fit(X, Y)


def test_an_estimator_that_is_a_class_is_refused():
    with pytest.raises(TypeError, match="LogisticRegression is a class"):
        RejectOptionClassifier(LogisticRegression).fit(X, Y)


@pytest.mark.parametrize("routing", [False, True])
def test_weights_reach_the_last_step_of_a_pipeline(routing):
    weights = np.where(Y == 1, 5.0, 1.0)
    with config_context(enable_metadata_routing=routing):
        scaler, last = StandardScaler(), LogisticRegression()
        if routing:
            scaler.set_fit_request(sample_weight=False)
            last.set_fit_request(sample_weight=True)
        model = RejectOptionClassifier(make_pipeline(scaler, last))
        model.fit(X, Y, sample_weight=weights)

    scaled = StandardScaler().fit_transform(X)
    alone = LogisticRegression().fit(scaled, Y, sample_weight=weights)
    assert np.allclose(model.decision_function(X), alone.decision_function(scaled))
