"""The losses against the formulas that their papers print."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import CostMatrix
from solvers.errors import InvalidLossError
from solvers.losses import (
    DoubleHinge,
    FromLines,
    Hinge,
    MultiHinge,
    PiecewiseLinear,
    ProbabilityTube,
)

Z = np.linspace(-6, 6, 241)


def entropy(p):
    return -p * np.log(p) - (1 - p) * np.log(1 - p)


def values(loss, target):
    return loss.rows(np.full(len(Z), target)).value(Z)


def test_hinge():
    np.testing.assert_allclose(values(Hinge(), 1), np.maximum(0, 1 - Z), atol=1e-12)
    np.testing.assert_allclose(values(Hinge(), -1), np.maximum(0, 1 + Z), atol=1e-12)


@pytest.mark.parametrize(
    "costs", [(1, 1, 0.25, 0.25), (1, 5, 0.6, 0.3), (1, 20, 2, 0.4)]
)
def test_double_hinge_is_equations_7_and_8(costs):
    matrix = CostMatrix(*costs)
    low, high = matrix.p_minus, matrix.p_plus
    positive = np.maximum.reduce(
        [-(1 - low) * Z + entropy(low), -(1 - high) * Z + entropy(high), 0 * Z]
    )
    negative = np.maximum.reduce(
        [high * Z + entropy(high), low * Z + entropy(low), 0 * Z]
    )
    np.testing.assert_allclose(values(DoubleHinge(matrix), 1), positive, atol=1e-12)
    np.testing.assert_allclose(values(DoubleHinge(matrix), -1), negative, atol=1e-12)


def test_double_hinge_has_the_knots_and_slopes_of_the_qp():
    """t, tau, C_i and D of problem (10), which the dual (11) is written in."""
    matrix = CostMatrix(1, 5, 0.6, 0.3)
    low, high = matrix.p_minus, matrix.p_plus
    gap = entropy(low) - entropy(high)
    rows = DoubleHinge(matrix).rows([1, -1])
    tau, t = -gap / (low - high), entropy(high) / (1 - high)
    np.testing.assert_allclose(rows.knots[0], [tau, t])
    np.testing.assert_allclose(
        rows.slopes[0], [-(1 - high) - (high - low), -(1 - high), 0]
    )
    tau, t = gap / (low - high), entropy(low) / low
    np.testing.assert_allclose(rows.knots[1], [-t, -tau])
    np.testing.assert_allclose(rows.slopes[1], [0, low, low + (high - low)])


def test_double_hinge_is_the_multi_hinge_of_two_probabilities():
    matrix = CostMatrix(1, 5, 0.6, 0.3)
    both = MultiHinge((matrix.p_minus, matrix.p_plus))
    for label in (1, -1):
        np.testing.assert_array_equal(
            values(both, label), values(DoubleHinge(matrix), label)
        )


def test_multi_hinge_touches_the_log_loss_at_its_probabilities():
    p = np.array([0.1, 0.3, 0.5, 0.8])
    z = np.log(p / (1 - p))
    rows = MultiHinge(tuple(p)).rows(np.ones(4))
    np.testing.assert_allclose(rows.value(z), np.log1p(np.exp(-z)))
    everywhere = values(MultiHinge(tuple(p)), 1)
    assert (everywhere <= np.log1p(np.exp(-Z)) + 1e-12).all()


def test_tube_is_zero_where_the_link_is_within_eta():
    eta = 0.1
    scale = np.log(1 / eta - 1)
    link = 1 / (1 + np.exp(-scale * Z))
    for p in (0.15, 0.3, 0.5, 0.77):
        loss = values(ProbabilityTube(eta), p)
        inside = abs(link - p) <= eta
        assert (loss[inside] <= 1e-9).all()
        assert (loss[abs(link - p) > eta + 1e-9] > 0).all()


def test_tube_of_a_certain_probability_is_a_hinge():
    tube = ProbabilityTube(0.1)
    for p in (0.95, 1.0):
        np.testing.assert_allclose(values(tube, p), values(Hinge(), 1), atol=1e-12)
    for p in (0.0, 0.05):
        np.testing.assert_allclose(values(tube, p), values(Hinge(), -1), atol=1e-12)


def test_tube_without_a_lower_side_rises_to_the_right_only():
    loss = values(ProbabilityTube(0.1), 0.1)
    assert (np.diff(loss) >= -1e-12).all()
    assert loss[0] == 0


def test_tube_takes_one_precision_per_row():
    both = ProbabilityTube(np.array([0.05, 0.2])).rows([0.5, 0.5])
    np.testing.assert_allclose(
        both.knots[0], ProbabilityTube(0.05).rows([0.5]).knots[0]
    )
    np.testing.assert_allclose(both.knots[1], ProbabilityTube(0.2).rows([0.5]).knots[0])


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=1, max_size=7))
def test_lines_give_their_upper_envelope(lines):
    slopes, intercepts = np.array(lines).T
    expected = (slopes[:, None] * Z + intercepts[:, None]).max(axis=0)
    np.testing.assert_allclose(values(FromLines(tuple(lines)), 1), expected, atol=1e-9)
    np.testing.assert_allclose(
        values(FromLines(tuple(lines)), -1), expected[::-1], atol=1e-9
    )


@pytest.mark.parametrize(
    ("knots", "slopes", "heights"),
    [
        ([[1.0, 0.0]], [[0.0, 1.0, 2.0]], [0.0]),
        ([[0.0]], [[1.0, 0.0]], [0.0]),
        ([[np.inf]], [[0.0, 1.0]], [0.0]),
        ([[0.0]], [[0.0, 1.0, 2.0]], [0.0]),
        ([[0.0]], [[0.0, 1.0]], [0.0, 1.0]),
        ([0.0], [[0.0, 1.0]], [0.0]),
    ],
)
def test_what_is_not_convex_or_finite_is_refused(knots, slopes, heights):
    with pytest.raises(InvalidLossError):
        PiecewiseLinear(np.array(knots), np.array(slopes), np.array(heights))


@pytest.mark.parametrize(
    "make",
    [
        lambda: MultiHinge(()),
        lambda: MultiHinge((0.5, 0.5)),
        lambda: MultiHinge((0.0, 0.5)),
        lambda: ProbabilityTube(0.5),
        lambda: ProbabilityTube(0.0),
        lambda: ProbabilityTube(0.1).rows([1.1]),
        lambda: ProbabilityTube(0.1).rows([np.nan]),
        lambda: Hinge().rows([1, 0]),
        lambda: FromLines(()).rows([1]),
        lambda: FromLines(((np.inf, 0),)).rows([1]),
        lambda: Hinge().rows([1]).weighted(-1.0),
        lambda: PiecewiseLinear.from_lines([[1.0, 2.0]], [[1.0]]),
    ],
)
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(InvalidLossError):
        make()
