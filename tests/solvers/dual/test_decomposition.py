"""Decomposition: every loss is certified, whichever of its two forms runs."""

import importlib
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CostMatrix
from solvers.dual import blocks, decomposition
from solvers.dual.problem import DualProblem, bias_and_violation
from solvers.dual.solve import chosen_solver, solve
from solvers.errors import Interrupted, InvalidLossError, UnknownNameError
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

solve_module = importlib.import_module("solvers.dual.solve")

LOSSES = {
    "hinge": Hinge(),
    "double-hinge": DoubleHinge(),
    "asymmetric": DoubleHinge(CostMatrix(1, 20, 2, 0.4)),
    "multi-hinge": MultiHinge((0.1, 0.4, 0.6, 0.95)),
    "probability-tube": ProbabilityTube(0.1),
    # Zero is in no segment's end, and outside the second box.
    "lines": FromLines(
        ((-2.0, 0.0), (-0.5, 1.0)), ((0.25, 1.0), (1.0, 0.0), (3.0, -2.0))
    ),
}


def rows_and_targets(n, seed=0, d=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=n)
    return X, score


def targets_of(loss, score):
    if isinstance(loss, ProbabilityTube):
        return 1 / (1 + np.exp(-score))
    return np.where(score > 0, 1.0, -1.0)


def problem_of(name, n=300, C=1.0, seed=0, kernel=None):
    X, score = rows_and_targets(n, seed)
    loss = LOSSES[name]
    rows = KernelRows(kernel or Kernel("rbf", 0.3), X)
    return DualProblem(rows, loss.rows(targets_of(loss, score)).weighted(C))


@pytest.fixture(params=["pairs", "blocks"])
def form(request, monkeypatch):
    """Run small problems in both forms; blocks go through all their sizes."""
    if request.param == "blocks":
        monkeypatch.setattr(decomposition, "WHOLE_MATRIX_ROWS", 0)
        stages = ((24, 0.5, 0.5), (48, 0.75, 1.0), (96, 0.8, np.inf))
        monkeypatch.setattr(blocks, "_STAGES", stages)
    return request.param


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("name", sorted(LOSSES))
def test_every_loss_is_certified_and_agrees_with_the_reference(form, name, C):
    problem = problem_of(name, n=150, C=C)
    exact = reference(problem, tolerance=1e-9)
    for tolerance in (1e-3, 1e-6):
        solution = solve(problem, solver="decomposition", tolerance=tolerance)
        assert solution.converged
        assert -1e-9 <= solution.gap <= tolerance
        beta, corners = solution.weights, problem.breakpoints
        assert abs(beta.sum()) <= 1e-9 * (1 + abs(beta).sum())
        assert ((beta >= corners[:, 0]) & (beta <= corners[:, -1])).all()
        missing = exact.dual - problem.dual(beta)
        assert missing <= (tolerance + 1e-9) * (1 + abs(exact.dual))
    scores = problem.gradient(beta)
    _, violation = bias_and_violation(problem, beta, scores)
    assert violation <= 2e-6


@pytest.mark.parametrize(
    "kernel",
    [
        Kernel("linear"),
        Kernel("polynomial", 1.0, 3, 1.0),
        Kernel("rbf", 0.3),
        Kernel("rbf", 50.0),
    ],
    ids=["linear", "polynomial", "rbf", "narrow"],
)
def test_kernels_of_any_scale_are_certified(form, kernel):
    problem = problem_of("double-hinge", C=10.0, kernel=kernel)
    solution = solve(problem, solver="decomposition", tolerance=1e-4)
    assert solution.converged
    fresh = problem.primal(solution.weights, solution.bias) - problem.dual(
        solution.weights
    )
    assert fresh <= 2e-4 * abs(solution.primal)


@st.composite
def hard_problems(draw):
    """Duplicate rows, constant columns, one class almost absent, extreme C."""
    n = draw(st.integers(12, 60))
    X, score = rows_and_targets(n, draw(st.integers(0, 10**6)), d=3)
    if draw(st.booleans()):
        X[n // 2 :] = X[: n - n // 2]
    if draw(st.booleans()):
        X[:, 1] = 7.0
    if draw(st.booleans()):
        score = score - np.sort(score)[-2] + 1e-9
    if draw(st.booleans()):
        X = np.round(X)
    kind = draw(st.sampled_from(["linear", "rbf", "polynomial"]))
    C = 10.0 ** draw(st.integers(-3, 4))
    name = draw(st.sampled_from(sorted(LOSSES)))
    loss = LOSSES[name]
    rows = KernelRows(Kernel(kind, 0.5, 2, 1.0), X)
    return DualProblem(rows, loss.rows(targets_of(loss, score)).weighted(C))


@given(hard_problems())
def test_hard_problems_close_their_gap(problem):
    try:
        # Without the active set's last word, unless decomposition makes no progress.
        with mock.patch.object(solve_module, "SMALL_ROWS", 0):
            solution = solve(problem)
    except InvalidLossError:
        corners = problem.breakpoints
        assert corners[:, 0].sum() > 0 or corners[:, -1].sum() < 0
        return
    assert solution.converged
    beta = solution.weights
    gap = problem.primal(beta, solution.bias) - problem.dual(beta)
    assert gap <= 1e-3 * max(abs(solution.primal), 1e-6) + 1e-9


def test_permuted_rows_have_permuted_weights(form):
    problem = problem_of("double-hinge")
    order = np.random.default_rng(1).permutation(problem.n_rows)
    turned = DualProblem(
        KernelRows(Kernel("rbf", 0.3), problem.kernel_rows.X[order]),
        problem.losses.take(order),
    )
    first = solve(problem, solver="decomposition", tolerance=1e-7)
    second = solve(turned, solver="decomposition", tolerance=1e-7)
    np.testing.assert_allclose(second.weights, first.weights[order], atol=1e-4)
    assert abs(first.bias - second.bias) <= 1e-5


def test_a_start_changes_the_way_and_not_the_end(form):
    problem = problem_of("double-hinge", C=10.0)
    cold = solve(problem, solver="decomposition", tolerance=1e-6)
    again = solve(problem, solver="decomposition", tolerance=1e-6, start=cold.weights)
    assert again.iterations <= cold.iterations / 10
    far = np.random.default_rng(0).normal(size=problem.n_rows) * 30
    other = solve(problem, solver="decomposition", tolerance=1e-6, start=far)
    assert abs(other.dual - cold.dual) <= 1e-6 * abs(cold.dual)


def test_a_start_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="300 finite weights"):
        solve(problem_of("hinge"), solver="decomposition", start=np.zeros(3))


def test_the_step_limit_is_kept_and_said(form):
    solution = solve(problem_of("hinge"), solver="decomposition", max_iterations=7)
    assert solution.iterations <= 7
    assert not solution.converged
    assert solution.gap > 1e-3


def test_progress_is_told_and_obeyed(form):
    seen = []

    def stop_at_third(fraction, message):
        seen.append((fraction, message))
        return len(seen) < 3

    # A narrow kernel at large C keeps both forms busy long enough.
    problem = problem_of("hinge", n=600, C=1e4, kernel=Kernel("rbf", 0.02))
    with pytest.raises(Interrupted, match="violated"):
        solve(problem, solver="decomposition", tolerance=1e-12, progress=stop_at_third)
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions)
    assert all(0 <= fraction <= 1 for fraction in fractions)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_kernel_that_is_not_semi_definite_ends(form, sign):
    """Documented: a stationary point, with the gap left open."""
    kernel = Kernel("callable", function=lambda A, B: sign * np.tanh(A @ B.T - 1.0))
    problem = problem_of("double-hinge", n=150, kernel=kernel)
    solution = solve(problem, solver="decomposition")
    assert np.isfinite(solution.weights).all()
    _, violation = bias_and_violation(
        problem, solution.weights, problem.gradient(solution.weights)
    )
    assert violation <= 2e-3


def test_losses_without_a_minimum_are_refused():
    falling = FromLines(((-1.0, 0.0),), ((-2.0, 0.0),)).rows([1, -1, 1])
    problem = DualProblem(KernelRows(Kernel("linear"), np.eye(3)), falling)
    with pytest.raises(InvalidLossError, match="unbounded"):
        solve(problem, solver="decomposition")


def test_losses_of_one_sign_leave_the_bias_at_a_knot():
    """All labels +1: no weights, and every margin satisfied by the bias alone."""
    losses = Hinge().rows(np.ones(4))
    problem = DualProblem(KernelRows(Kernel("linear"), np.eye(4)), losses)
    solution = solve(problem, solver="decomposition")
    assert not solution.weights.any()
    assert solution.bias == 1.0
    assert solution.primal == 0.0


def test_zero_losses_cost_nothing():
    losses = PiecewiseLinear(np.zeros((3, 1)), np.zeros((3, 2)), np.zeros(3))
    problem = DualProblem(KernelRows(Kernel("linear"), np.eye(3)), losses)
    solution = solve(problem, solver="decomposition")
    assert (solution.primal, solution.dual, solution.gap) == (0.0, 0.0, 0.0)


def test_auto_solves_small_problems_exactly_and_says_so():
    small = problem_of("double-hinge", n=100)
    assert solve(small).solver == chosen_solver(small) == "active-set"
    assert solve(small).gap <= 1e-10
    assert chosen_solver(problem_of("hinge", n=1000)) == "decomposition"
    with pytest.raises(UnknownNameError, match="decomposition"):
        solve(small, solver="smo")


def test_auto_turns_to_the_active_set_where_pairs_make_no_progress():
    """A kernel of rank 10 at C = 1e4: millions of steps, or eleven free weights."""
    X, score = rows_and_targets(283, 66, d=3)
    losses = LOSSES["probability-tube"].rows(1 / (1 + np.exp(-score))).weighted(1e4)
    problem = DualProblem(KernelRows(Kernel("polynomial", 0.5, 2, 1.0), X), losses)
    solution = solve(problem)
    assert solution.solver == "active-set"
    assert solution.converged
    assert solution.gap <= 1e-8


def test_the_certificate_counts_rounding_of_the_rows():
    """Few free weights at C = 1000: float32 scores alone would hide a gap."""
    X, score = rows_and_targets(235, 349, d=3)
    X[117:] = X[:118]
    y = np.where(score > np.sort(score)[-3], 1.0, -1.0)
    losses = Hinge().rows(y).weighted(1000.0)
    problem = DualProblem(KernelRows(Kernel("rbf", 0.5), X), losses)
    solution = solve(problem, solver="decomposition")
    fresh = problem.primal(solution.weights, solution.bias)
    assert solution.primal == pytest.approx(fresh, rel=1e-4)
    assert fresh - problem.dual(solution.weights) <= 1e-3 * fresh


def test_rows_and_losses_must_match():
    with pytest.raises(ValueError, match="kernel rows"):
        DualProblem(KernelRows(Kernel("linear"), np.eye(3)), Hinge().rows([1, -1]))
