import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from solvers import LogisticRejectClassifier, RejectOptionClassifier
from solvers.costs import CostMatrix
from solvers.display import (
    AugmentedConfusionMatrixDisplay,
    CostRejectDisplay,
    RiskCoverageDisplay,
    ScoreDensityDisplay,
)
from solvers.metrics import (
    augmented_confusion_matrix,
    coverage,
    risk_coverage_curve,
    selective_error,
)
from solvers.rules import ChowRule, ExpectedCostRule


@pytest.fixture(autouse=True)
def without_a_screen():
    mpl.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


class Thresholded:
    """A fitted classifier whose score is its only column."""

    def __init__(self, rule, labels=("healthy", "ill")):
        self.rule_ = rule
        self.classes_ = np.array(sorted(labels))
        self.pos_label_ = labels[1]

    def positive_score(self, X):
        return np.asarray(X)[:, 0]

    def probability(self, X):
        return 1 / (1 + np.exp(-np.asarray(X)[:, 0]))

    def decide(self, X):
        return self.rule_.decide(self.positive_score(X))


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    ill = rng.random(300) < 1 / (1 + np.exp(-2 * X[:, 0]))
    return X, np.where(ill, "ill", "healthy")


@pytest.fixture
def model(rows):
    X, y = rows
    signs = np.where(y == "ill", 1, -1)
    return Thresholded(ExpectedCostRule(CostMatrix()).fit(X[:, 0], signs))


def test_the_table_is_drawn_with_the_users_labels(rows, model):
    X, y = rows
    shown = AugmentedConfusionMatrixDisplay.from_estimator(model, X, y)
    table = augmented_confusion_matrix(y, model.decide(X), positive="ill")
    assert np.array_equal(shown.table, table)
    assert [t.get_text() for t in shown.ax_.get_xticklabels()] == [
        "ill",
        "healthy",
        "reject",
    ]
    assert [t.get_text() for t in shown.ax_.texts] == [f"{v:g}" for v in table.ravel()]


def test_the_risk_coverage_curve_is_drawn(rows, model):
    X, y = rows
    shown = RiskCoverageDisplay.from_estimator(model, X, y)
    assert np.array_equal(shown.line_.get_xdata(), shown.curve.coverage)
    assert np.array_equal(shown.line_.get_ydata(), shown.curve.value)
    curve = risk_coverage_curve(y, X[:, 0], positive="ill")
    best = np.interp(curve.coverage, shown.curve.coverage, counts_of(shown.curve))
    assert (best <= counts_of(curve) + 1e-12).all()
    point = [shown.point_.get_xdata()[0], shown.point_.get_ydata()[0]]
    decided = model.decide(X)
    assert point == [coverage(decided), selective_error(y, decided, positive="ill")]
    assert "Thresholded (area" in shown.line_.get_label()
    again = RiskCoverageDisplay(curve).plot(ax=shown.ax_, color="red")
    assert again.ax_ is shown.ax_
    assert again.line_.get_color() == "red"
    assert again.point_ is None


def counts_of(curve):
    """Return the errors, as shares of all rows, along a risk curve."""
    return curve.coverage * curve.value


@pytest.mark.parametrize("costs", [CostMatrix(), CostMatrix(1, 5, 0.6, 0.3)], ids=str)
def test_the_cost_curve_touches_the_cheapest_rule_and_marks_it(rows, costs):
    X, y = rows
    signs = np.where(y == "ill", 1, -1)
    model = Thresholded(ExpectedCostRule(costs).fit(X[:, 0], signs))
    shown = CostRejectDisplay.from_estimator(model, X, y, costs)
    rejected, cost = shown.line_.get_xdata(), shown.line_.get_ydata()
    assert rejected[0] == 1.0
    assert cost[0] == pytest.approx(costs.of_decisions(signs, 0 * signs).mean())
    cheapest = costs.of_decisions(signs, model.decide(X)).mean()
    assert cost.min() == pytest.approx(cheapest)
    point = shown.point_.get_xdata()[0], shown.point_.get_ydata()[0]
    assert point == pytest.approx((np.mean(model.decide(X) == 0), cheapest))
    assert shown.point_.get_color() == shown.line_.get_color()
    assert shown.ax_.get_xlabel() == "Reject rate"


def test_the_other_label_can_be_plus_one(rows):
    """Named first in the alphabet, it is drawn as if it came last."""
    X, y = rows
    costs = CostMatrix(1, 5, 0.6, 0.3)
    signs = np.where(y == "ill", 1, -1)
    rule = ExpectedCostRule(costs).fit(X[:, 0], signs)
    renamed = np.where(y == "ill", "diabetic", "healthy")
    for display, *more in ((CostRejectDisplay, costs), (RiskCoverageDisplay,)):
        wanted = display.from_estimator(Thresholded(rule), X, y, *more)
        other = Thresholded(rule, labels=("healthy", "diabetic"))
        shown = display.from_estimator(other, X, renamed, *more)
        np.testing.assert_array_equal(shown.curve.value, wanted.curve.value)
        assert shown.operating_point == wanted.operating_point
    table = AugmentedConfusionMatrixDisplay.from_estimator(other, X, renamed)
    assert table.labels == ("diabetic", "healthy")


def test_classifiers_of_scikit_learn_are_drawn_once_plus_one_is_named(rows):
    X, y = rows
    costs = CostMatrix(1, 5, 0.6, 0.3)
    for fitted in (LogisticRegression().fit(X, y), GaussianNB().fit(X, y)):
        with pytest.raises(ValueError, match="which of the labels"):
            CostRejectDisplay.from_estimator(fitted, X, y, costs)
        ill, healthy = (
            CostRejectDisplay.from_estimator(fitted, X, y, costs, positive=label)
            for label in ("ill", "healthy")
        )
        assert ill.point_ is None
        assert not np.array_equal(ill.curve.value, healthy.curve.value)
        numbers = CostRejectDisplay.from_estimator(
            type(fitted)().fit(X, y == "ill"), X, y == "ill", costs
        )
        np.testing.assert_allclose(numbers.curve.value, ill.curve.value)


def test_densities_are_drawn_with_finite_thresholds_only(rows, model):
    X, y = rows
    shown = ScoreDensityDisplay.from_estimator(model, X, y)
    assert len(shown.ax_.lines) == 2
    labels = [text.get_text() for text in shown.ax_.get_legend().get_texts()]
    assert labels[:2] == ["ill", "healthy"]
    one_sided = ScoreDensityDisplay.from_predictions(
        y, X[:, 0], thresholds=(-np.inf, 0.5), positive="ill"
    )
    assert len(one_sided.ax_.lines) == 1
    by_probability = ScoreDensityDisplay.from_estimator(
        Thresholded(ChowRule(CostMatrix()).fit()), X, y
    )
    assert 0 <= by_probability.scores.min() <= by_probability.scores.max() <= 1


def test_matplotlib_is_imported_only_to_draw():
    code = "import sys, solvers.display; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


DISPLAYS = [
    (AugmentedConfusionMatrixDisplay, ()),
    (CostRejectDisplay, (CostMatrix(1, 5, 0.5, 0.2),)),
    (RiskCoverageDisplay, ()),
    (ScoreDensityDisplay, ()),
]


def rejecting():
    rule = ChowRule(CostMatrix(1, 5, 0.5, 0.2))
    return RejectOptionClassifier(LogisticRejectClassifier(), rule, pos_label="healthy")


@pytest.mark.parametrize(("display", "costs"), DISPLAYS)
def test_what_decides_is_found_in_a_pipeline_and_a_search(rows, display, costs):
    X, y = rows
    pipe = make_pipeline(StandardScaler(), rejecting())
    search = GridSearchCV(pipe, {"rejectoptionclassifier__cv": [3]}, scoring="roc_auc")
    pipe.fit(X, y)
    alone = display.from_estimator(pipe[-1], pipe[:-1].transform(X), y, *costs)
    for wrapped in (pipe, search.fit(X, y)):
        drawn = display.from_estimator(wrapped, X, y, *costs)
        for told in ("table", "operating_point", "thresholds", "labels"):
            if hasattr(alone, told) and wrapped is pipe:
                np.testing.assert_equal(getattr(drawn, told), getattr(alone, told))


@pytest.mark.parametrize(("display", "costs"), DISPLAYS)
def test_what_was_not_fitted_is_not_drawn(rows, display, costs):
    with pytest.raises(NotFittedError):
        display.from_estimator(rejecting(), *rows, *costs)


def test_a_table_of_what_never_rejects_is_refused_with_the_way_out(rows):
    fitted = LogisticRegression().fit(*rows)
    with pytest.raises(TypeError, match="put a classifier with a reject option"):
        AugmentedConfusionMatrixDisplay.from_estimator(fitted, *rows, positive="ill")
