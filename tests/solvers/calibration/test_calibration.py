import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.calibration import Calibration, fit_calibration
from solvers.calibration.calibration import FLOOR
from solvers.errors import UnknownNameError
from solvers.metrics import brier_score, calibration_error


def logistic_rows(seed, n, slope=2.0, shift=-0.5):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n)
    p = 1 / (1 + np.exp(-(slope * scores + shift)))
    return scores, np.where(rng.random(n) < p, 1, -1), p


@given(
    st.lists(
        st.tuples(st.floats(-1e6, 1e6), st.sampled_from([-1, 1])),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(["sigmoid", "curve", "auto"]),
)
def test_probabilities_rise_with_the_score_and_stay_inside(rows, method):
    scores = np.array([score for score, _ in rows])
    y = np.array([sign for _, sign in rows])
    calibration = fit_calibration(scores, y, method=method)
    grid = np.sort(np.r_[scores, -1e7, 0.0, 1e7])
    p = calibration.probability(grid)
    assert np.isfinite(p).all()
    assert (np.diff(p) >= -1e-12).all()
    assert ((p > 0) & (p < 1)).all()
    again = Calibration.from_payload(
        json.loads(json.dumps(calibration.payload(), allow_nan=False))
    )
    assert np.array_equal(again.probability(grid), p)
    alone = [calibration.probability(grid[k : k + 1])[0] for k in range(len(grid))]
    assert np.array_equal(alone, p)


@pytest.mark.parametrize("method", ["sigmoid", "curve"])
def test_the_true_probability_is_found(method):
    scores, y, _ = logistic_rows(0, 20_000)
    calibration = fit_calibration(scores, y, method=method)
    fresh, truth, fresh_p = logistic_rows(1, 20_000)
    found = calibration.probability(fresh)
    assert np.abs(found - fresh_p).mean() < 0.02
    assert calibration_error(truth, found) < 0.02
    assert brier_score(truth, found) < brier_score(truth, fresh_p) + 0.002
    assert calibration.prevalence == pytest.approx(np.mean(y == 1))


def test_the_sigmoid_is_a_minimum():
    scores, y, _ = logistic_rows(2, 300)
    fitted = fit_calibration(scores, y, method="sigmoid")
    n_plus = int((y == 1).sum())
    high, low = (n_plus + 1) / (n_plus + 2), 1 / (300 - n_plus + 2)
    targets = np.where(y == 1, high, low)

    def loss(slope, intercept):
        z = slope * scores + intercept
        return np.logaddexp(0, z).sum() - targets @ z

    best = loss(fitted.slope, fitted.intercept)
    for step in (1e-3, -1e-3):
        assert loss(fitted.slope + step, fitted.intercept) > best
        assert loss(fitted.slope, fitted.intercept + step) > best


def test_separable_scores_do_not_end_in_certainty():
    scores = np.r_[np.linspace(-2, -1, 40), np.linspace(1, 2, 40)]
    y = np.repeat([-1, 1], 40)
    for method in ("sigmoid", "curve"):
        p = fit_calibration(scores, y, method=method).probability(scores)
        assert 0.0 < p.min() < 0.05
        assert 0.95 < p.max() < 1.0


def test_the_method_goes_by_the_rarer_class():
    scores, y, _ = logistic_rows(0, 5000)
    rare = np.r_[np.flatnonzero(y == 1)[:49], np.flatnonzero(y == -1)]
    assert fit_calibration(scores[rare], y[rare]).kind == "sigmoid"
    rare = np.r_[np.flatnonzero(y == 1)[:50], np.flatnonzero(y == -1)]
    few = fit_calibration(scores[rare], y[rare])
    assert (few.kind, len(few.knots)) == ("curve", 3)
    assert len(fit_calibration(scores, y).knots) == 9


@pytest.mark.parametrize(("world", "dear"), [("straight", True), ("bent", False)])
def test_a_bend_is_as_dear_as_the_rows_say(world, dear):
    """Straight log-odds come near a sigmoid, sharp bends stay."""
    curve, straight = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        z = 1.5 * rng.normal(size=4600) - 0.5
        scores = z if world == "straight" else np.clip(z, -1, 1) + 0.1 * z
        y = np.where(rng.random(4600) < 1 / (1 + np.exp(-z)), 1, -1)
        p = fit_calibration(scores[:600], y[:600]).probability(scores[600:])
        curve.append(np.mean((1 / (1 + np.exp(-z[600:])) - p) ** 2))
        sigmoid = fit_calibration(scores[:600], y[:600], method="sigmoid")
        p = sigmoid.probability(scores[600:])
        straight.append(np.mean((1 / (1 + np.exp(-z[600:])) - p) ** 2))
    beside = np.mean(curve) / np.mean(straight)
    assert beside < (1.7 if dear else 0.8)


def test_equal_scores_have_one_probability_and_far_ones_that_of_the_outer_knot():
    scores = np.repeat([0.0, 1.0, 5.0], 100)
    y = np.where(np.arange(300) % 100 < np.repeat([10, 40, 80], 100), 1, -1)
    fitted = fit_calibration(scores, y)
    p = fitted.probability([-1e300, 0.0, 1.0, 5.0, 1e300])
    assert p == pytest.approx([0.1, 0.1, 0.4, 0.8, 0.8], abs=0.03)
    assert (p[0], p[4]) == (p[1], p[3])


def test_a_few_lucky_rows_do_not_make_the_end_of_the_curve():
    """Nothing depends on the score: the lowest rows must not look safe by chance."""
    lowest = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.where(rng.random(1000) < 0.2, 1, -1)
        p = fit_calibration(rng.normal(size=1000), y).probability([-9.0, 9.0])
        lowest.append(p)
    low, high = np.mean(lowest, axis=0)
    assert 0.15 < low < 0.2 < high < 0.27


@pytest.mark.parametrize("shift", [0.0, 800.0, -800.0])
@pytest.mark.parametrize(
    "fitted",
    [
        Calibration("sigmoid", slope=1e3),
        Calibration("curve", knots=np.array([-1.0, 1.0]), heights=[-1e4, 1e4]),
        Calibration("isotonic", knots=np.array([-1.0, 1.0]), heights=[0.0, 1.0]),
        Calibration.link(1e3),
    ],
    ids=lambda fitted: fitted.kind,
)
def test_nothing_is_certain_whatever_the_score(fitted, shift):
    shifted = replace(fitted, log_odds_shift=shift)
    for score in (-1e300, -1.0, 0.0, 1.0, 1e300):
        p = shifted.probability_of(score)
        assert FLOOR * (1 - 1e-9) <= p <= 1 - FLOOR * (1 - 1e-9)
        assert shifted.probability([score])[0] == p


def test_few_rows_are_told():
    few = fit_calibration(*logistic_rows(0, 49)[:2])
    assert "49 rows" in few.notes[0]
    assert fit_calibration(*logistic_rows(0, 300)[:2]).notes == ()
    rare = np.where(np.arange(200) < 4, 1, -1)
    assert "4 rows of the rarer" in fit_calibration(np.arange(200.0), rare).notes[0]


def test_falling_scores_get_the_share_of_positives():
    scores, y, _ = logistic_rows(3, 400, slope=-2.0)
    fitted = fit_calibration(scores, y)
    assert "do not rise" in fitted.notes[-1]
    p = fitted.probability(scores)
    assert np.ptp(p) == 0.0
    assert p[0] == pytest.approx(np.mean(y == 1), abs=0.01)


def test_weights_count_by_their_ratios():
    scores, y, _ = logistic_rows(4, 400)
    weights = np.random.default_rng(0).integers(0, 3, 400).astype(float)
    for method in ("sigmoid", "curve"):
        one = fit_calibration(scores, y, weights, method=method)
        scaled = fit_calibration(scores, y, 1e-6 * weights, method=method)
        kept = np.repeat(np.arange(400), weights.astype(int))
        rows = fit_calibration(scores[kept], y[kept], method=method)
        grid = np.linspace(-2, 2, 50)
        p = one.probability(grid)
        assert np.allclose(scaled.probability(grid), p, atol=1e-9)
        # 430 rows may bend the curve more often than 270 do.
        close = 0.01 if method == "sigmoid" else 0.03
        assert np.allclose(rows.probability(grid), p, atol=close)


def test_another_prevalence_shifts_the_odds():
    scores, y, p = logistic_rows(5, 20_000, shift=0.0)
    rare = np.random.default_rng(0).random(20_000) < np.where(y == 1, 0.05, 1.0)
    for method in ("sigmoid", "curve"):
        balanced = fit_calibration(scores, y, method=method)
        share = float(np.mean(y[rare] == 1))
        shifted = balanced.with_prevalence(share)
        found = shifted.probability(scores[rare])
        assert calibration_error(y[rare], found) < 0.015
        assert found.mean() == pytest.approx(share, abs=0.01)
        odds = p / (1 - p) * 0.05
        assert np.abs(shifted.probability(scores) - odds / (1 + odds)).mean() < 0.015
    with pytest.raises(ValueError, match="prevalence"):
        balanced.with_prevalence(1.0)
    with pytest.raises(ValueError, match="share of"):
        Calibration.link(1.0).with_prevalence(0.1)


def test_a_link_needs_no_rows():
    link = Calibration.link(2.0)
    assert link.probability([-1e9, 0.0, 1e9]) == pytest.approx([1e-6, 0.5, 1 - 1e-6])
    assert link.rows == 0


@pytest.mark.parametrize(
    ("scores", "y", "weights", "told"),
    [
        ([0.0], [0], None, "-1 and .1"),
        ([0.0], [True], None, "-1 and .1"),
        ([np.nan], [1], None, "finite"),
        ([0.0, 1.0], [1], None, "shape"),
        ([0.0], [1], [-1.0], "sample_weight"),
        ([0.0], [1], [0.0], "no rows"),
        ([], [], None, "no rows"),
    ],
)
def test_input_that_cannot_be_calibrated_is_refused(scores, y, weights, told):
    with pytest.raises(ValueError, match=told):
        fit_calibration(scores, y, weights)


def test_unknown_methods_and_broken_payloads_are_refused():
    with pytest.raises(UnknownNameError, match="sigmoid"):
        fit_calibration([0.0], [1], method="beta")
    with pytest.raises(ValueError, match="kind"):
        Calibration("beta")
    with pytest.raises(ValueError, match="knot"):
        Calibration("isotonic")
    with pytest.raises(ValueError, match="knot"):
        Calibration("curve")
    with pytest.raises(ValueError, match="finite"):
        Calibration("sigmoid", slope=np.inf)


@pytest.mark.parametrize("unit", [1e-300, 1e-6, 1e6, 1e300])
def test_the_unit_of_the_scores_does_not_matter(unit):
    scores, y, _ = logistic_rows(6, 200)
    here = fit_calibration(scores, y).probability(scores)
    there = fit_calibration(unit * scores, y).probability(unit * scores)
    assert np.allclose(here, there, atol=1e-6)
