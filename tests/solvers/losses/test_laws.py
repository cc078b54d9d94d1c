"""What is true of every loss, for all registered ones at once."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from solvers import CostMatrix
from solvers.errors import InvalidLossError
from solvers.losses import (
    LOSSES,
    DoubleHinge,
    FromLines,
    Hinge,
    MultiHinge,
    PiecewiseLinear,
    ProbabilityTube,
)

unit = st.floats(0.02, 0.98)
# Thousandths: lines that cross at 1e148 are no losses.
number = st.integers(-5000, 5000).map(lambda k: k / 1000)


@st.composite
def cost_matrices(draw):
    false_positive = draw(st.floats(0.1, 20))
    false_negative = draw(st.floats(0.1, 20))
    # Shares of the error costs that sum to less than 1 fulfil condition (2).
    total = draw(st.floats(0.05, 0.95))
    part = total * draw(st.floats(0.05, 0.95))
    return CostMatrix(
        false_positive,
        false_negative,
        reject_positive=false_negative * part,
        reject_negative=false_positive * (total - part),
    )


@st.composite
def lines(draw):
    pairs = st.tuples(number, number)
    positive = tuple(draw(st.lists(pairs, min_size=1, max_size=5)))
    negative = draw(st.none() | st.lists(pairs, min_size=1, max_size=5).map(tuple))
    return FromLines(positive, negative)


def ascending(values):
    return tuple(sorted({round(value, 3) for value in values}))


labels = st.lists(st.sampled_from([-1.0, 1.0]), min_size=1, max_size=6)
examples = {
    "hinge": st.tuples(st.builds(Hinge), labels),
    "double-hinge": st.tuples(st.builds(DoubleHinge, cost_matrices()), labels),
    "multi-hinge": st.tuples(
        st.builds(MultiHinge, st.lists(unit, min_size=1, max_size=6).map(ascending)),
        labels,
    ),
    "probability-tube": st.tuples(
        st.builds(ProbabilityTube, st.floats(0.01, 0.49)),
        st.lists(st.floats(0, 1), min_size=1, max_size=6),
    ),
    "lines": st.tuples(lines(), labels),
}


@st.composite
def drawn(draw):
    """A loss, its targets, and one score per target."""
    name = draw(st.sampled_from(sorted(LOSSES)))
    loss, targets = draw(examples[name])
    targets = np.array(targets)
    scores = draw(st.lists(number, min_size=len(targets), max_size=len(targets)))
    return loss, targets, np.array(scores)


def mirrored_targets(loss, targets):
    return 1.0 - targets if isinstance(loss, ProbabilityTube) else -targets


def close(left, right, scale=1.0):
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-9 * scale)


finite = st.floats(allow_nan=False, allow_infinity=False)
tiny = st.floats(-1e-300, 1e-300)


@given(st.lists(st.tuples(finite | tiny, finite | tiny), min_size=1, max_size=5))
@example([(0.0, 0.0), (2.2e-313, 1.0)])
@example([(0.0, 1.0), (5e-324, 0.0)])
@example([(1.7e308, 0.0), (-1.7e308, 1e308)])
def test_any_lines_make_a_loss_or_are_refused_without_a_warning(pairs):
    slopes, intercepts = np.array(pairs).T
    try:
        made = PiecewiseLinear.from_lines(slopes, intercepts)
    except InvalidLossError:
        assert np.abs(pairs).max() > 1e100
        return
    assert set(made.slopes.ravel()) <= set(slopes)
    if np.abs(slopes).max() <= 1e-300 and np.abs(intercepts).min() >= 1e-290:
        # Such lines do not rise before they meet.
        assert made.value([0.0])[0] == pytest.approx(intercepts.max())


def test_every_registered_loss_is_drawn():
    assert set(examples) == set(LOSSES)


@given(drawn(), st.floats(0, 1))
def test_fenchel_young_is_an_inequality(example, share):
    loss, targets, z = example
    rows = loss.rows(targets)
    low, high = rows.slopes[:, 0], rows.slopes[:, -1]
    u = np.clip(low + share * (high - low), low, high)
    assert (rows.value(z) + rows.conjugate(u) - u * z >= -1e-9).all()


@given(drawn())
def test_fenchel_young_is_an_equality_on_the_subgradient(example):
    loss, targets, z = example
    rows = loss.rows(targets)
    for slope in range(rows.slopes.shape[1]):
        u = rows.slopes[:, slope]
        low, high = rows.knot_interval(-u)
        inside = np.clip(z, low, high)
        close(rows.value(inside) + rows.conjugate(u), u * inside, scale=10)


@given(drawn())
def test_a_slope_outside_is_no_subgradient_anywhere(example):
    loss, targets, _ = example
    rows = loss.rows(targets)
    assert np.isinf(rows.conjugate(rows.slopes[:, -1] + 1)).all()
    assert np.isinf(rows.conjugate(rows.slopes[:, 0] - 1)).all()


@given(drawn())
def test_the_conjugate_of_the_conjugate_is_the_loss(example):
    loss, targets, z = example
    rows = loss.rows(targets)
    lines = [u * z - rows.conjugate(u) for u in rows.slopes.T]
    close(np.max(lines, axis=0), rows.value(z), scale=10)


@given(drawn())
def test_exchanging_the_classes_is_a_reflection(example):
    loss, targets, z = example
    mirrored = loss.mirrored().rows(mirrored_targets(loss, targets))
    certain = np.zeros(len(targets), dtype=bool)
    if isinstance(loss, ProbabilityTube):
        # Rounding of 1 - p may move a probability across the border of certainty.
        border = np.minimum(abs(targets - loss.eta), abs(1 - loss.eta - targets))
        certain = border < 1e-12
    expected = loss.rows(targets).value(z)
    scale = 10 / min(getattr(loss, "eta", 1.0), 1.0)
    close(mirrored.value(-z)[~certain], expected[~certain], scale)
    reflected = loss.rows(targets).reflected()
    close(reflected.value(-z), expected, scale)
    close(reflected.reflected().value(z), expected, scale)


@given(drawn(), st.floats(0, 100))
def test_a_weight_multiplies_the_value(example, weight):
    loss, targets, z = example
    rows = loss.rows(targets)
    close(rows.weighted(weight).value(z), weight * rows.value(z), scale=1000)


@given(drawn())
def test_a_weight_of_zero_binds_nothing(example):
    loss, targets, _ = example
    low, high = loss.rows(targets).weighted(0.0).knot_interval(np.zeros(len(targets)))
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


@given(drawn(), drawn())
def test_stacked_rows_keep_their_values(first, second):
    parts = [example[0].rows(example[1]) for example in (first, second)]
    z = np.concatenate([first[2], second[2]])
    stacked = PiecewiseLinear.concatenated(parts)
    close(
        stacked.value(z),
        np.concatenate([parts[0].value(first[2]), parts[1].value(second[2])]),
    )
    order = np.arange(len(z))[::-1]
    close(stacked.take(order).value(z[order]), stacked.value(z)[order])


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_every_loss_says_what_it_is(name):
    assert LOSSES[name].__doc__
