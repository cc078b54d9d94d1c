"""Duality gaps from the papers' formulas alone, and two solvers that agree.

Only ``support_``, ``dual_coef_`` and ``intercept_`` are taken from the machines;
kernel, losses and both objectives are written down here again: the hinge's textbook
primal and dual, equations 10 and 11 of Grandvalet et al. (2008) for the double hinge,
equations 2 and 3 of Niaf et al. (2011) for labels and probabilities.
"""

import numpy as np
import pytest

from solvers.costs import CostMatrix
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC

GAMMA = 0.35
SOLVERS = ("active-set", "decomposition")
PRICES = (0.1, 1.0, 100.0)
COSTS = (
    CostMatrix(),
    CostMatrix(1, 1, 0.45, 0.45),
    CostMatrix(1, 20, 0.5, 0.5),
    CostMatrix(20, 1, 0.3, 0.6),
    CostMatrix(2, 3, 0.9, 0.2),
    CostMatrix(1, 1, 0.02, 0.05),
)


def drawn(rows=200):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(rows, 3))
    twins = rows // 10
    X[:twins] = X[-twins:]
    chance = 1.0 / (1.0 + np.exp(-2.5 * X[:, 0] - X[:, 1]))
    y = np.where(rng.random(rows) < chance, 1.0, -1.0)
    y[:twins] = y[-twins:]
    return X, y, chance


def rbf(X):
    squares = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-GAMMA * squares)


def signed_weights(machine, rows):
    beta = np.zeros(rows)
    beta[machine.support_] = machine.dual_coef_[0]
    return beta


def relative(primal, dual):
    return (primal - dual) / max(abs(primal), abs(dual))


def entropy(p):
    return -p * np.log(p) - (1.0 - p) * np.log(1.0 - p)


def double_hinge_constants(costs, C, y):
    """Return C_i, D, t_i and tau_i as printed below equation 10."""
    low, high = costs.p_minus, costs.p_plus
    positive = y > 0
    slope = (entropy(low) - entropy(high)) / (low - high)
    return (
        C * np.where(positive, 1.0 - high, low),
        C * (high - low),
        np.where(positive, entropy(high) / (1.0 - high), entropy(low) / low),
        np.where(positive, -slope, slope),
    )


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_hinge(solver, C):
    X, y, _ = drawn()
    machine = HingeSVC(C=C, gamma=GAMMA, solver=solver, tol=1e-6).fit(X, y)
    K, beta = rbf(X), signed_weights(machine, len(y))
    alpha = beta * y
    f = K @ beta + machine.intercept_[0]
    norm = 0.5 * beta @ K @ beta
    assert alpha.min() >= 0
    assert alpha.max() <= C * (1 + 1e-12)
    assert abs(beta.sum()) <= 1e-9 * (1 + alpha.sum())
    primal = norm + C * np.maximum(0.0, 1.0 - y * f).sum()
    assert -1e-9 <= relative(primal, alpha.sum() - norm) <= 1e-4


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("costs", COSTS, ids=str)
@pytest.mark.parametrize("solver", SOLVERS)
def test_double_hinge(solver, costs, C):
    X, y, _ = drawn()
    machine = DoubleHingeSVC(costs, C=C, gamma=GAMMA, solver=solver, tol=1e-6).fit(X, y)
    K, beta = rbf(X), signed_weights(machine, len(y))
    each, D, t, tau = double_hinge_constants(costs, C, y)
    gamma = beta * y
    alpha = np.minimum(gamma, each)
    margin = y * (K @ beta + machine.intercept_[0])
    norm = 0.5 * beta @ K @ beta
    room = 1e-12 * (1.0 + C)
    assert gamma.min() >= -room
    assert (gamma - alpha).max() <= D + room
    assert abs(beta.sum()) <= 1e-9 * (1 + gamma.sum())
    xi, eta = np.maximum(0.0, t - margin), np.maximum(0.0, tau - margin)
    primal = norm + (each * xi).sum() + D * eta.sum()
    dual = -norm + tau @ gamma + (t - tau) @ alpha
    assert -1e-9 <= relative(primal, dual) <= 1e-4


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("solver", SOLVERS)
def test_labels_and_probabilities(solver, C):
    X, _, chance = drawn()
    eta, C_prob = 0.1, 0.7 * C
    machine = ProbabilisticLabelSVC(
        C=C, C_prob=C_prob, eta=eta, gamma=GAMMA, solver=solver, tol=1e-6
    ).fit(X, chance)
    K, beta = rbf(X), signed_weights(machine, len(X))
    f = K @ beta + machine.intercept_[0]
    norm = 0.5 * beta @ K @ beta
    plus, minus = chance > 1 - eta, chance < eta
    certain = plus | minus
    y = np.where(plus, 1.0, -1.0)[certain]
    a = np.log(1.0 / eta - 1.0)
    p = chance[~certain]
    with np.errstate(divide="ignore"):
        below = -np.log(1.0 / np.maximum(p - eta, 0.0) - 1.0) / a
        above = -np.log(np.maximum(1.0 / np.minimum(p + eta, 1.0) - 1.0, 0.0)) / a
    assert plus.any()
    assert minus.any()
    assert len(p) > 20
    outside = np.maximum(0.0, below - f[~certain])
    outside += np.maximum(0.0, f[~certain] - above)
    primal = norm + C * np.maximum(0.0, 1.0 - y * f[certain]).sum()
    primal += C_prob * outside.sum()
    alpha = beta[certain] * y
    up, down = np.maximum(beta[~certain], 0.0), np.maximum(-beta[~certain], 0.0)
    room = 1e-12 * (1.0 + C)
    assert alpha.min() >= 0
    assert alpha.max() <= C + room
    assert max(up.max(), down.max()) <= C_prob + room
    assert abs(beta.sum()) <= 1e-9 * (1 + np.abs(beta).sum())
    # A multiplier of an infinite bound is zero: its term is dropped.
    dual = alpha.sum() - norm
    dual += up @ np.where(np.isfinite(below), below, 0.0)
    dual -= down @ np.where(np.isfinite(above), above, 0.0)
    assert not up[np.isneginf(below)].any()
    assert not down[np.isposinf(above)].any()
    assert -1e-9 <= relative(primal, dual) <= 1e-4


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("costs", COSTS, ids=str)
def test_both_solvers_decide_alike_away_from_the_thresholds(costs, C):
    X, y, _ = drawn()
    one, two = (
        DoubleHingeSVC(costs, C=C, gamma=GAMMA, solver=solver, tol=1e-6).fit(X, y)
        for solver in SOLVERS
    )
    scores = one.decision_function(X)
    distance = np.abs(scores[:, None] - np.array(costs.thresholds)).min(axis=1)
    clear = distance > 1e-4
    assert clear.sum() > len(y) / 2
    np.testing.assert_array_equal(one.decide(X)[clear], two.decide(X)[clear])
