"""Which of two labels the prices call +1: the one that is named, everywhere."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import solvers
from solvers import CostMatrix, c_path
from solvers.rules import ChowRule, ExpectedCostRule
from solvers.trainers.base import RejectOptionMixin

COSTS = CostMatrix(1, 5, 0.6, 0.3)
QUICK = {"n_rounds": 20}
MADE = {
    "DoubleHingeSVC": {"costs": COSTS, "class_weight": {"diabetic": 2.0}},
    "HingeSVC": {},
    "MultiHingeSVC": {"probabilities": (0.1, 0.3)},
    "ProbabilisticLabelSVC": {"costs": COSTS, "class_weight": {"diabetic": 2.0}},
    "ReducedSetSVC": {"costs": COSTS, "method": "sca"},
    "AbstentionBoostingClassifier": {"costs": COSTS, **QUICK},
    "AbstentionTreeBoostingClassifier": {"costs": COSTS, "rule": "chow", **QUICK},
    "TwoStepBoostingClassifier": {"costs": COSTS, **QUICK},
    "AdaBoostStumpClassifier": QUICK,
    "GradientBoostingRejectClassifier": QUICK,
    "LogisticRejectClassifier": {},
    "RandomisedTreesRejectClassifier": {"n_trees": 10},
    "EnsembleRejectClassifier": {
        "members": [("line", solvers.LogisticRejectClassifier())],
        "costs": COSTS,
    },
    "RejectOptionClassifier": {
        "estimator": LogisticRegression(),
        "rule": ExpectedCostRule(COSTS),
    },
}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    ill = X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=240) > 0.8
    return X, ill


def numbered(parameters):
    """The same parameters for the labels 0 and 1."""
    weights = parameters.get("class_weight")
    return parameters if weights is None else {**parameters, "class_weight": {1: 2.0}}


def test_every_classifier_is_here():
    made = [getattr(solvers, name) for name in solvers.__all__]
    classes = [c for c in made if isinstance(c, type)]
    named = {c.__name__ for c in classes if issubclass(c, RejectOptionMixin)}
    assert named == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_the_named_label_is_plus_one_wherever_it_stands_in_the_alphabet(name, rows):
    X, ill = rows
    make, parameters = getattr(solvers, name), MADE[name]
    wanted = make(**numbered(parameters)).fit(X, ill.astype(int))
    y = np.where(ill, "diabetic", "healthy")
    model = make(**parameters, pos_label="diabetic").fit(X, y)
    assert model.classes_.tolist() == ["diabetic", "healthy"]
    np.testing.assert_array_equal(model.decide(X), wanted.decide(X))
    # scikit-learn's logistic regression adds up the rows of a class, the first first.
    np.testing.assert_allclose(
        model.positive_score(X), wanted.positive_score(X), rtol=1e-9, atol=1e-12
    )
    # What scikit-learn defines keeps its order.
    np.testing.assert_allclose(
        model.decision_function(X), -wanted.decision_function(X), rtol=1e-9, atol=1e-12
    )
    unsure = wanted.decision_function(X) == 0.0
    called = np.where(wanted.predict(X) == 1, "diabetic", "healthy")
    np.testing.assert_array_equal(model.predict(X)[~unsure], called[~unsure])
    area = get_scorer("roc_auc")
    assert area(model, X, y) == pytest.approx(area(wanted, X, ill.astype(int)))
    for method in ("predict_proba", "probability", "rate", "reject_function"):
        if hasattr(wanted, method):
            told = getattr(wanted, method)(X)
            told = told[:, ::-1] if method == "predict_proba" else told
            np.testing.assert_allclose(
                getattr(model, method)(X), told, rtol=1e-9, atol=1e-12
            )


@pytest.mark.parametrize("name", MADE)
def test_labels_of_text_without_a_name_for_plus_one_are_warned_of(name, rows):
    X, ill = rows
    make, parameters = getattr(solvers, name), MADE[name]
    y = np.where(ill, "diabetic", "healthy").astype(object)
    with pytest.warns(UserWarning, match="are text") as caught:
        silent = make(**parameters).fit(X, y)
    assert len(caught) == 1
    for reading in (
        "the price of calling 'healthy' 'diabetic'",
        "pos_label='diabetic'",
        "pos_label='healthy'",
    ):
        assert reading in str(caught[0].message)
    told = make(**parameters, pos_label="healthy").fit(X, y)
    np.testing.assert_array_equal(silent.decide(X), told.decide(X))


@pytest.mark.parametrize("name", MADE)
def test_a_label_that_is_not_there_is_refused(name, rows):
    X, ill = rows
    model = getattr(solvers, name)(**numbered(MADE[name]), pos_label="ill")
    with pytest.raises(ValueError, match="pos_label='ill' is none of"):
        model.fit(X, ill.astype(int))


def test_who_numbers_labels_before_fitting_is_told_why_none_is_found(rows):
    X, ill = rows
    model = solvers.LogisticRejectClassifier(pos_label="ill")
    y = np.where(ill, "ill", "healthy")
    with pytest.raises(ValueError, match="needs labels that are numbers"):
        cross_val_predict(model, X, y, method="predict_proba")
    numbered = solvers.LogisticRejectClassifier(pos_label=1)
    found = cross_val_predict(numbered, X, ill.astype(int), method="predict_proba")
    assert found.shape == (len(X), 2)


def test_the_estimator_in_a_rule_takes_its_label_or_gives_it(rows):
    X, ill = rows
    y = np.where(ill, "diabetic", "healthy")
    inner = solvers.DoubleHingeSVC(COSTS)
    wanted = solvers.RejectOptionClassifier(inner, ChowRule(COSTS)).fit(X, ill)
    named = solvers.DoubleHingeSVC(COSTS, pos_label="diabetic")
    for estimator, outer in (
        (inner, "diabetic"),
        (named, None),
        (named, "diabetic"),
        (make_pipeline("passthrough", named), None),
        (make_pipeline("passthrough", inner), "diabetic"),
    ):
        model = solvers.RejectOptionClassifier(
            estimator, ChowRule(COSTS), pos_label=outer
        ).fit(X, y)
        np.testing.assert_array_equal(model.decide(X), wanted.decide(X))
    model = solvers.RejectOptionClassifier(
        make_pipeline(StandardScaler(), named), ChowRule(COSTS), pos_label="healthy"
    )
    with pytest.raises(ValueError, match="but the estimator has pos_label='diabetic'"):
        model.fit(X, y)


def test_probabilities_are_of_plus_one_alone(rows):
    X, _ = rows
    p = 1 / (1 + np.exp(-X[:, 0]))
    with pytest.raises(ValueError, match="probabilities of"):
        solvers.ProbabilisticLabelSVC(pos_label=-1).fit(X, p)
    solvers.ProbabilisticLabelSVC(pos_label=1).fit(X, p)


def test_a_path_keeps_the_label(rows):
    X, ill = rows
    y = np.where(ill, "diabetic", "healthy")
    machine = solvers.DoubleHingeSVC(COSTS, pos_label="diabetic")
    for model in c_path(machine, X, y, [0.5, 2.0]):
        alone = solvers.DoubleHingeSVC(COSTS, C=model.C).fit(X, ill)
        np.testing.assert_allclose(
            model.positive_score(X), alone.positive_score(X), atol=5e-3
        )
        assert model.pos_label_ == "diabetic"
