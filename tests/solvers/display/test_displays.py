import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest

from solvers.costs import CostMatrix
from solvers.display import (
    AugmentedConfusionMatrixDisplay,
    CostRejectDisplay,
    RiskCoverageDisplay,
    ScoreDensityDisplay,
)
from solvers.metrics import augmented_confusion_matrix, risk_coverage_curve
from solvers.rules import ChowRule, ExpectedCostRule


@pytest.fixture(autouse=True)
def without_a_screen():
    mpl.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


class Thresholded:
    """A fitted classifier whose score is its only column."""

    classes_ = np.array(["healthy", "ill"])

    def __init__(self, rule):
        self.rule_ = rule

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def probability(self, X):
        return 1 / (1 + np.exp(-np.asarray(X)[:, 0]))

    def decide(self, X):
        return self.rule_.decide(self.decision_function(X))


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
    curve = risk_coverage_curve(y, X[:, 0], positive="ill")
    assert np.array_equal(shown.line_.get_xdata(), curve.coverage)
    assert np.array_equal(shown.line_.get_ydata(), curve.value)
    assert "Thresholded (area" in shown.line_.get_label()
    again = RiskCoverageDisplay(curve).plot(ax=shown.ax_, color="red")
    assert again.ax_ is shown.ax_
    assert again.line_.get_color() == "red"


def test_cost_against_reject_rate_is_drawn(rows, model):
    X, y = rows
    shown = CostRejectDisplay.from_estimator(model, X, y, CostMatrix())
    assert shown.line_.get_xdata()[0] == 1.0
    assert shown.line_.get_ydata()[0] == pytest.approx(0.25)
    assert shown.ax_.get_xlabel() == "Reject rate"


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
