"""The duality gap again, from the fitted attributes and the papers' formulas alone.

Nothing of ``solvers`` is used but the estimators: kernel by scikit-learn, thresholds,
knots and objectives as Grandvalet et al. (2008) print them, problems (10) and (11).
"""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from solvers import CostMatrix, DoubleHingeSVC, HingeSVC

GAMMA = 0.4
COSTS = [
    CostMatrix(),
    CostMatrix(1, 1, 0.45, 0.45),
    CostMatrix(1, 1, 0.1, 0.1),
    CostMatrix(1, 5, 0.6, 0.3),
    CostMatrix(1, 20, 0.8, 0.4),
    CostMatrix(10, 1, 0.2, 3.0),
]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(180, 4))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] + 0.7 * rng.normal(size=180) > 0, 1, -1)
    twice = rng.choice(180, 20, replace=False)  # 10 % duplicate rows
    return np.vstack([X, X[twice]]), np.concatenate([y, y[twice]])


def entropy(p):
    return -p * np.log(p) - (1 - p) * np.log(1 - p)


def knots_and_weights(y, costs, C):
    """Return t_i, tau_i, C_i and D of problem (10)."""
    r_plus, r_minus = costs.reject_positive, costs.reject_negative
    c_plus, c_minus = costs.false_negative, costs.false_positive
    p_plus = (c_minus - r_minus) / (c_minus - r_minus + r_plus)
    p_minus = r_minus / (c_plus - r_plus + r_minus)
    slope = (entropy(p_minus) - entropy(p_plus)) / (p_minus - p_plus)
    t = np.where(y > 0, entropy(p_plus) / (1 - p_plus), entropy(p_minus) / p_minus)
    tau = np.where(y > 0, -slope, slope)
    return t, tau, C * np.where(y > 0, 1 - p_plus, p_minus), C * (p_plus - p_minus)


def fitted(model, X, y):
    """Return the coefficients gamma_i of (11) and the scores, from attributes."""
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    K = rbf_kernel(X, gamma=GAMMA)
    return beta * y, K @ beta, float(model.intercept_[0]), float(beta @ K @ beta)


def double_hinge_gap(model, X, y, costs, C):
    gamma, f, b, norm = fitted(model, X, y)
    t, tau, c, d = knots_and_weights(y, costs, C)
    assert (gamma >= -1e-9).all()
    assert (gamma <= c + d + 1e-9).all()
    assert abs(gamma @ y) <= 1e-8 * (1 + abs(gamma).sum())
    margin = y * (f + b)
    primal = (
        norm / 2 + c @ np.maximum(t - margin, 0) + d * np.maximum(tau - margin, 0).sum()
    )
    alpha = np.minimum(gamma, c)
    dual = tau @ gamma + (t - tau) @ alpha - norm / 2
    return (primal - dual) / max(1.0, abs(primal))


def hinge_gap(model, X, y, C):
    alpha, f, b, norm = fitted(model, X, y)
    assert (alpha >= -1e-9).all()
    assert (alpha <= C + 1e-9).all()
    primal = norm / 2 + C * np.maximum(0, 1 - y * (f + b)).sum()
    return (primal - (alpha.sum() - norm / 2)) / max(1.0, abs(primal))


@pytest.mark.parametrize("solver", ["decomposition", "active-set"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("costs", COSTS, ids=lambda costs: str(costs.thresholds))
def test_double_hinge(table, costs, C, solver):
    X, y = table
    model = DoubleHingeSVC(costs, C=C, gamma=GAMMA, tol=1e-6, solver=solver).fit(X, y)
    gap = double_hinge_gap(model, X, y, costs, C)
    assert -1e-9 <= gap <= 1e-4
    assert model.duality_gap_ <= 1e-6
    assert model.solver_ == solver


@pytest.mark.parametrize("solver", ["decomposition", "active-set"])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_hinge(table, C, solver):
    X, y = table
    model = HingeSVC(C=C, gamma=GAMMA, tol=1e-6, solver=solver).fit(X, y)
    assert -1e-9 <= hinge_gap(model, X, y, C) <= 1e-4


@pytest.mark.parametrize("costs", COSTS[2:5], ids=lambda costs: str(costs.thresholds))
def test_both_solvers_decide_alike(table, costs):
    X, y = table
    models = [
        DoubleHingeSVC(costs, C=3.0, gamma=GAMMA, tol=1e-6, solver=solver).fit(X, y)
        for solver in ("decomposition", "active-set")
    ]
    scores = models[0].decision_function(X)
    near = np.abs(scores[:, None] - np.array(costs.thresholds)).min(axis=1) <= 1e-4
    first, second = (model.decide(X) for model in models)
    np.testing.assert_array_equal(first[~near], second[~near])


def test_larger_problems_in_blocks():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 5))
    y = np.where(X[:, 0] + np.sin(3 * X[:, 1]) + 0.5 * rng.normal(size=3000) > 0, 1, -1)
    costs = CostMatrix(1, 5, 0.6, 0.3)
    model = DoubleHingeSVC(costs, C=10.0, gamma=GAMMA, tol=1e-6).fit(X, y)
    assert model.solver_ == "decomposition"
    assert double_hinge_gap(model, X, y, costs, 10.0) <= 1e-5


UNSCALED = {
    "as they come": ([1, 1, 1, 1], 0),
    "one of thousands": ([1, 1e3, 1, 1], 0),
    "all of millions": ([1e6] * 4, 0),
    "from thousandths to millions": ([1, 1e6, 1e-3, 1e3], 0),
    "tiny": ([1e-6] * 4, 0),
    "far from zero": ([1, 1, 1, 1], 1e5),
}


def true_gap(model, X, y, C):
    """Return the relative gap of a linear machine, in extended precision."""
    beta = np.zeros(len(y), dtype=np.longdouble)
    beta[model.support_] = model.dual_coef_[0]
    w = X.T.astype(np.longdouble) @ beta
    margin = y * (X.astype(np.longdouble) @ w + np.longdouble(model.intercept_[0]))
    primal = w @ w / 2 + C * np.maximum(0, 1 - margin).sum()
    dual = beta @ y - w @ w / 2
    return float((primal - dual) / max(abs(primal), abs(dual)))


@pytest.mark.parametrize("solver", ["auto", "active-set", "decomposition"])
@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("columns", UNSCALED)
def test_a_fit_is_certified_or_warns_with_its_gap(columns, C, solver):
    scale, offset = UNSCALED[columns]
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    noise = 0.7 * rng.normal(size=120)
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + noise > 0, 1, -1)
    X = X * np.array(scale) + offset
    limit = 300_000 if solver == "decomposition" else -1
    model = HingeSVC(C=C, kernel="linear", solver=solver, max_iter=limit)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    told = [str(w.message) for w in caught if w.category is ConvergenceWarning]
    assert len(told) == len(caught) <= 1
    if told:
        assert f"{model.duality_gap_:.2e}" in told[0]
        assert "scale the columns" in told[0]
    else:
        assert abs(model.duality_gap_) <= model.tol
        assert abs(true_gap(model, X, y, C)) <= 1.1 * model.tol


def test_what_is_certified_is_not_warned_of():
    """Scores that are mostly rounding, of an objective that is not."""
    rng = np.random.default_rng(0)
    X = 1e3 * rng.normal(size=(120, 2))
    y = np.where(X[:, 0] > 100 * rng.normal(size=120), 1, -1)
    model = HingeSVC(C=10.0, kernel="linear").fit(X, y)
    assert abs(true_gap(model, X, y, 10.0)) <= 1e-3
