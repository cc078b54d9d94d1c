"""The active set ends at the exact optimum, from any start, on any problem."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.dual import active_set as module
from solvers.dual.active_set import active_set
from solvers.dual.problem import DualProblem, bias_and_violation
from solvers.dual.solve import solve
from solvers.errors import Interrupted
from solvers.kernels import Kernel, KernelRows
from solvers.losses import (
    DoubleHinge,
    FromLines,
    Hinge,
    MultiHinge,
    PiecewiseLinear,
    ProbabilityTube,
)
from tests.solvers.dual.reference import reference

LABEL_LOSSES = {
    "hinge": Hinge(),
    "double-hinge": DoubleHinge(CostMatrix(1, 5, 0.5, 0.2)),
    "multi-hinge": MultiHinge((0.1, 0.3, 0.5, 0.7, 0.9)),
    "lines": FromLines(((-2.0, 1.0), (-0.5, 0.5), (0.25, 0.0))),
}
KERNELS = {
    "rbf": Kernel("rbf", gamma=0.4),
    "linear": Kernel("linear"),
    "polynomial": Kernel("polynomial", gamma=0.5, coef0=1.0, degree=3),
}


def problem_of(name, kernel, C, *, rows=120, seed=0, weights=None):
    """Make a noisy two-class problem with a tenth of its rows given twice."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    twins = rows // 10
    X[:twins] = X[twins : 2 * twins]
    logit = 2.0 * X[:, 0]
    if name == "tube":
        losses = ProbabilityTube(0.1).rows(1.0 / (1.0 + np.exp(-logit)))
    else:
        y = np.where(logit + rng.logistic(size=rows) > 0, 1.0, -1.0)
        losses = LABEL_LOSSES[name].rows(y)
    scale = C if weights is None else C * weights
    return DualProblem(KernelRows(kernel, X), losses.weighted(scale))


def violation(problem, weights):
    return bias_and_violation(problem, weights, problem.gradient(weights))[1]


def assert_exact(problem, solution, *, gap=1e-9):
    low, high = problem.breakpoints[:, 0], problem.breakpoints[:, -1]
    size = np.abs(solution.weights).sum()
    assert solution.converged
    assert (solution.weights >= low).all()
    assert (solution.weights <= high).all()
    assert abs(solution.weights.sum()) <= 1e-12 * (1.0 + size)
    assert solution.gap <= gap
    assert violation(problem, solution.weights) <= 1e-9 * (1.0 + size)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("name", [*LABEL_LOSSES, "tube"])
def test_it_ends_at_the_optimum_that_the_interior_point_finds(name, kernel, C):
    problem = problem_of(name, kernel, C)
    found, expected = active_set(problem), reference(problem)
    assert_exact(problem, found)
    scale = max(1.0, abs(expected.dual))
    assert found.dual == pytest.approx(expected.dual, abs=1e-8 * scale)
    # The function is unique, whatever weights express it: 1/2 |f - f*|^2 is at most
    # the gap, and |f(x)| at most |f| sqrt(k(x, x)).
    gaps = [max(s.primal - s.dual, 1e-14 * scale) for s in (found, expected)]
    norms = np.sqrt(2.0 * np.array(gaps)).sum()
    reach = np.sqrt(problem.kernel_rows.diagonal())
    apart = problem.gradient(found.weights - expected.weights)
    assert (np.abs(apart) <= norms * reach + 1e-10).all()


@settings(max_examples=60)
@given(data=st.data())
def test_degenerate_grids_neither_cycle_nor_break(data):
    """Few distinct rows, equal boxes and random starts: ties everywhere."""
    n = data.draw(st.integers(2, 30))
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    X = rng.integers(-1, 2, size=(n, data.draw(st.integers(1, 3)))).astype(float)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    loss = LABEL_LOSSES[data.draw(st.sampled_from(sorted(LABEL_LOSSES)))]
    C = data.draw(st.sampled_from([0.1, 1.0, 1000.0]))
    scale = C * rng.integers(0, 3, size=n)
    kernel = KERNELS[data.draw(st.sampled_from(sorted(KERNELS)))]
    problem = DualProblem(KernelRows(kernel, X), loss.rows(y).weighted(scale))
    low, high = problem.breakpoints[:, 0], problem.breakpoints[:, -1]
    if low.sum() > 0 or high.sum() < 0:
        return
    start = None
    if data.draw(st.booleans()):
        start = rng.normal(size=n) * data.draw(st.sampled_from([0.1, 1.0, 100.0]))
    found = active_set(problem, start=start)
    assert found.converged
    limit = 1e-9 * (1.0 + np.abs(found.weights).sum())
    assert violation(problem, found.weights) <= limit
    assert found.primal - found.dual <= 1e-8 * (1.0 + abs(found.primal))


def test_identical_rows_leave_only_the_bias_to_choose():
    y = np.array([1.0, 1.0, 1.0, -1.0])
    losses = Hinge().rows(y).weighted(2.0)
    problem = DualProblem(KernelRows(KERNELS["rbf"], np.ones((4, 2))), losses)
    found = active_set(problem)
    assert_exact(problem, found)
    np.testing.assert_allclose(problem.gradient(found.weights), 0.0, atol=1e-12)
    # Three against one: the majority's margin is free of charge.
    assert found.bias == pytest.approx(1.0)
    assert found.primal == pytest.approx(4.0)


def test_a_row_of_weight_zero_is_no_row_and_weight_two_is_the_row_twice():
    weights = np.arange(60) % 3
    whole = problem_of("double-hinge", KERNELS["rbf"], 1.0, rows=60, weights=weights)
    repeated = np.repeat(np.arange(60), weights)
    plain = problem_of("double-hinge", KERNELS["rbf"], 1.0, rows=60)
    doubled = DualProblem(
        KernelRows(KERNELS["rbf"], plain.kernel_rows.X[repeated]),
        plain.losses.take(repeated),
    )
    one, two = active_set(whole), active_set(doubled)
    assert one.bias == pytest.approx(two.bias, abs=1e-10)
    scores = whole.gradient(one.weights)
    np.testing.assert_allclose(
        scores[repeated], doubled.gradient(two.weights), atol=1e-10
    )


@pytest.mark.parametrize("factor", [0.1, 0.5, 2.0, 10.0])
@pytest.mark.parametrize("name", ["hinge", "double-hinge", "tube"])
def test_the_weights_for_another_c_are_a_start(name, factor):
    before = active_set(problem_of(name, KERNELS["rbf"], 1.0))
    problem = problem_of(name, KERNELS["rbf"], factor)
    warm = active_set(problem, start=before.weights)
    cold = active_set(problem)
    assert_exact(problem, warm)
    assert warm.dual == pytest.approx(cold.dual, rel=1e-10)
    assert warm.bias == pytest.approx(cold.bias, abs=1e-8)


def test_other_costs_are_a_start():
    problem = problem_of("double-hinge", KERNELS["rbf"], 1.0)
    y = np.where(problem.losses.slopes[:, 0] < 0, 1.0, -1.0)
    other = DualProblem(
        problem.kernel_rows, DoubleHinge(CostMatrix(20, 1, 0.4, 0.5)).rows(y)
    )
    warm = active_set(other, start=active_set(problem).weights)
    assert_exact(other, warm)
    assert warm.dual == pytest.approx(active_set(other).dual, rel=1e-10)


def test_its_own_solution_is_no_work():
    problem = problem_of("double-hinge", KERNELS["rbf"], 10.0)
    first = active_set(problem)
    again = active_set(problem, start=first.weights)
    assert first.iterations > 20
    assert again.iterations == 0
    assert_exact(problem, again)


def test_it_polishes_what_decomposition_leaves():
    problem = problem_of("hinge", KERNELS["rbf"], 10.0, rows=300)
    rough = solve(problem, solver="decomposition", tolerance=1e-2)
    cold = active_set(problem)
    fine = active_set(problem, start=rough.weights)
    assert violation(problem, rough.weights) > 1e-7
    assert_exact(problem, fine)
    assert fine.iterations < cold.iterations


@pytest.mark.parametrize(
    "start", [np.zeros(3), np.full(120, np.nan), np.zeros((120, 1))]
)
def test_a_start_must_fit(start):
    problem = problem_of("hinge", KERNELS["rbf"], 1.0)
    with pytest.raises(ValueError, match="120 finite weights"):
        active_set(problem, start=start)


def test_losses_without_a_minimum_are_refused():
    falling = PiecewiseLinear(
        np.zeros((2, 1)), np.array([[-2.0, -1.0]] * 2), np.zeros(2)
    )
    problem = DualProblem(KernelRows(KERNELS["linear"], np.eye(2)), falling)
    with pytest.raises(ValueError, match="unbounded below in the bias"):
        active_set(problem)


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_ROWS", 100)
    with pytest.raises(ValueError, match="up to 100 rows, got 120"):
        active_set(problem_of("hinge", KERNELS["rbf"], 1.0))


def test_a_limit_on_iterations_is_kept_and_reported():
    problem = problem_of("hinge", KERNELS["rbf"], 1.0)
    stopped = active_set(problem, tolerance=1e-6, max_iterations=5)
    assert stopped.iterations <= 5
    assert not stopped.converged
    assert stopped.gap > 1e-6
    # What it has is feasible, and a start for the rest of the way.
    assert abs(stopped.weights.sum()) <= 1e-12
    assert_exact(problem, active_set(problem, start=stopped.weights))


def test_progress_is_told_and_stops(monkeypatch):
    monkeypatch.setattr(module, "_REPORT_S", 0.0)
    problem = problem_of("multi-hinge", KERNELS["rbf"], 1.0)
    seen = []

    def stop(fraction, message):
        seen.append((fraction, message))
        return len(seen) < 3

    with pytest.raises(Interrupted, match="stopped on request"):
        active_set(problem, progress=stop)
    assert len(seen) == 3
    assert all(0.0 <= fraction <= 1.0 and message for fraction, message in seen)


@pytest.mark.parametrize("seed", range(4))
def test_an_indefinite_kernel_ends_at_a_stationary_point(seed):
    problem = problem_of("hinge", Kernel("sigmoid", gamma=0.7), 1.0, seed=seed)
    assert np.linalg.eigvalsh(problem.kernel_rows.matrix())[0] < -1e-3
    found = active_set(problem, max_iterations=20_000)
    assert found.iterations < 20_000
    assert violation(problem, found.weights) <= 1e-9
