"""The dense reference against a general optimiser and against what can be known."""

import numpy as np
import pytest
from scipy.optimize import minimize

from solvers.costs import CostMatrix
from solvers.dual.problem import DualProblem
from solvers.kernels import Kernel, KernelRows
from solvers.losses import DoubleHinge, Hinge, MultiHinge, PiecewiseLinear
from tests.solvers.dual.reference import reference

LOSSES = {
    "hinge": Hinge(),
    "double-hinge": DoubleHinge(CostMatrix(1, 20, 0.5, 0.4)),
    "multi-hinge": MultiHinge((0.2, 0.5, 0.8)),
}


def problem_of(loss, C, rows=14):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(rows, 2))
    X[:2] = X[2:4]
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=rows) > 0, 1.0, -1.0)
    kernel = KernelRows(Kernel("rbf", gamma=0.5), X)
    return DualProblem(kernel, loss.rows(y).weighted(C))


def primal_by_slsqp(problem):
    """Minimise over weights of f, bias and one slack a row, from the losses' lines."""
    K, losses = problem.kernel_rows.matrix(), problem.losses
    n = len(K)
    knots = np.column_stack([losses.knots[:, :1], losses.knots])
    heights = np.column_stack([losses.heights, losses.knot_heights])

    def above(v):
        scores = K @ v[:n] + v[n]
        lines = heights + losses.slopes * (scores[:, None] - knots)
        return (v[n + 1 :, None] - lines).ravel()

    def objective(v):
        return 0.5 * v[:n] @ K @ v[:n] + v[n + 1 :].sum()

    def slope(v):
        return np.concatenate([K @ v[:n], [0.0], np.ones(n)])

    start = np.concatenate([np.zeros(n + 1), losses.value(np.zeros(n))])
    found = minimize(
        objective,
        start,
        jac=slope,
        constraints={"type": "ineq", "fun": above},
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-12},
    )
    return float(found.fun)


@pytest.mark.parametrize("C", [0.3, 3.0])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_a_general_optimiser_of_the_primal_finds_the_same_value(loss, C):
    problem = problem_of(loss, C)
    found = reference(problem)
    expected = primal_by_slsqp(problem)
    assert found.converged
    assert found.dual == pytest.approx(expected, rel=1e-5)
    # Weak duality: no primal value is below the dual one.
    assert found.dual <= expected * (1.0 + 1e-9)


@pytest.mark.parametrize("C", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_its_gap_is_rounding(loss, C):
    found = reference(problem_of(loss, C, rows=80))
    assert found.gap <= 1e-10
    assert found.iterations < 60
    assert abs(found.weights.sum()) <= 1e-9 * (1.0 + np.abs(found.weights).sum())


def test_two_rows_have_a_known_machine():
    """Two points at distance 2: w = 1 puts both on their margins, beta = 1/2."""
    X = np.array([[-1.0], [1.0]])
    losses = Hinge().rows([-1, 1]).weighted(10.0)
    found = reference(DualProblem(KernelRows(Kernel("linear"), X), losses))
    np.testing.assert_allclose(found.weights, [-0.5, 0.5], atol=1e-9)
    assert found.bias == pytest.approx(0.0, abs=1e-9)
    assert found.primal == pytest.approx(0.5)


def test_rows_without_weight_do_nothing():
    problem = problem_of(LOSSES["double-hinge"], np.zeros(14))
    found = reference(problem)
    assert found.converged
    assert not found.weights.any()
    assert found.primal == found.dual == 0.0


def test_what_it_cannot_take_is_refused():
    falling = PiecewiseLinear(
        np.zeros((2, 1)), np.array([[-2.0, -1.0]] * 2), np.zeros(2)
    )
    problem = DualProblem(KernelRows(Kernel("linear"), np.eye(2)), falling)
    with pytest.raises(ValueError, match="unbounded below in the bias"):
        reference(problem)
