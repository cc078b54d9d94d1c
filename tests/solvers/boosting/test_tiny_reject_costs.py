"""A reject that costs next to nothing: exp(-b r) has b = 2 sqrt(1 / c) then."""

import numpy as np
import pytest

from solvers import (
    AbstentionBoostingClassifier,
    AbstentionTreeBoostingClassifier,
    CostMatrix,
)
from solvers.boosting.line import ExponentialLine, minimise

TINY = {
    "exponential": {"cost": 1e-6, "loss": "exponential"},
    "exponential, smaller": {"cost": 1e-8, "loss": "exponential"},
    "logistic": {"cost": 1e-4, "loss": "logistic"},
    "logistic, smaller": {"cost": 1e-8, "loss": "logistic"},
    "costs, exponential": {"costs": CostMatrix(1e6, 1e6, 1e-2, 2e-2)},
    "costs, logistic": {"costs": CostMatrix(1, 1e6, 1e-3, 1e-7), "loss": "logistic"},
    "max": {"cost": 1e-6, "surrogate": "max"},
}


@pytest.mark.parametrize("step", ["line-search", "closed-form"])
@pytest.mark.parametrize("name", TINY)
def test_the_objective_never_rises_and_is_the_formula(problem, name, step):
    X, y = problem(200)

    model = AbstentionBoostingClassifier(n_rounds=80, step=step, **TINY[name])
    path = model.fit(X, y).objective_path_

    assert np.isfinite(path).all()
    assert (np.diff(path) <= 1e-12 * path[0]).all()
    h, r = model.decision_function(X), model.reject_function(X)
    value = model.surrogate_.value(y, h, r).mean()
    assert path[-1] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("b", [2.0, 200.0, 2e4, 2e6])
@pytest.mark.parametrize("pull", [1e-9, 1e-3, 0.4])
def test_the_lowest_point_of_a_line_is_found_however_steep_it_is(b, pull):
    line = ExponentialLine(right=1.0, wrong=0.3, rejected=pull / b, accepted=0.0, b=b)

    eta = minimise(line.slopes, line.slopes(0.0), 0.0, 25.0, tolerance=1e-12)

    # The slope changes its sign there.
    near = 1e-9 * max(eta, 1.0 / b)
    assert line.slopes(eta - near)[0] < 0.0 < line.slopes(eta + near)[0]


@pytest.mark.parametrize("loss", ["exponential", "logistic"])
@pytest.mark.parametrize(
    "costs",
    [
        CostMatrix(1, 1e6, 1e-3, 1e-7),
        CostMatrix(1, 1e6, 0.1, 1e-7),
        CostMatrix(1e6, 1, 1e-7, 1e-2),
        CostMatrix(1e6, 1e6, 1e-2, 2e-2),
    ],
    ids=str,
)
def test_trees_never_raise_the_surrogate(problem, costs, loss):
    X, y = problem(200)

    model = AbstentionTreeBoostingClassifier(
        costs, n_rounds=60, loss=loss, early_stopping=False
    )
    path = model.fit(X, y).objective_path_

    assert np.isfinite(path).all()
    assert (np.diff(path) <= 1e-12 * path[0]).all()
    h, r = model.decision_function(X), model.reject_function(X)
    assert path[-1] == pytest.approx(model.surrogate_.value(y, h, r).mean(), rel=1e-8)
