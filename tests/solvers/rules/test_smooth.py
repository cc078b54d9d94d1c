"""Rules on Parzen densities: derivatives, optima, embedded costs."""

from math import exp, log

import numpy as np
import pytest
from draws import cost_matrices, gaussian, imbalanced
from hypothesis import given
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError
from solvers.metrics import expected_cost, normalized_mutual_information
from solvers.rules import ExpectedCostRule, MutualInformationRule, PlugInRule
from solvers.rules.densities import ClassDensity, estimate_densities
from solvers.rules.embedded_costs import double_hinge_of, embedded_costs
from solvers.rules.objectives import CostObjective, InformationObjective
from solvers.rules.smooth_optimum import maximise, maximise_band

COSTS = [CostMatrix(), CostMatrix(1, 5, 0.5, 0.2), CostMatrix(2, 1, 0.1, 0.9)]


def objectives(seed=0):
    scores, y = gaussian(seed, 500)
    densities = estimate_densities(scores, y == 1)
    yield InformationObjective(densities)
    yield from (CostObjective(densities, costs) for costs in COSTS)


def test_gradient_and_hessian_are_those_of_the_objective():
    step = 1e-4
    for objective in objectives():
        for curve in (objective.lower, objective.upper):
            for z in np.linspace(-2.5, 2.5, 11):
                (ahead, slope_ahead, _), (behind, slope_behind, _) = (
                    curve(z + step),
                    curve(z - step),
                )
                _, slope, curvature = curve(z)
                assert slope == pytest.approx((ahead - behind) / 2 / step, abs=1e-6)
                assert curvature == pytest.approx(
                    (slope_ahead - slope_behind) / 2 / step, abs=1e-5
                )


def test_the_grid_values_are_those_of_the_curves():
    for objective in objectives(1):
        lower, upper = objective.on_grid()
        for k in range(500, 4000, 700):
            z = float(objective.densities.grid[k])
            assert lower[k] == pytest.approx(objective.lower(z)[0], abs=1e-5)
            assert upper[k] == pytest.approx(objective.upper(z)[0], abs=1e-5)


def test_densities_agree_with_the_direct_sum():
    scores, y = gaussian(2, 4000)
    densities = estimate_densities(scores, y == 1)
    width = densities.positive.width
    peak = densities.on_grid_positive.max()
    plus = scores[y == 1]
    for k in range(0, len(densities.grid), 211):
        z = float(densities.grid[k])
        u = (z - plus) / width
        direct = np.exp(-0.5 * u * u).sum() / len(scores) / width / np.sqrt(2 * np.pi)
        assert densities.on_grid_positive[k] == pytest.approx(direct, abs=1e-5 * peak)
        assert densities.positive.at(z)[0] == pytest.approx(direct, abs=1e-5 * peak)
    total = densities.positive.below(99.0) + densities.negative.below(99.0)
    assert total == pytest.approx(1.0)
    assert densities.prior == pytest.approx(np.mean(y == 1))


@pytest.mark.parametrize(
    "scores",
    [
        np.repeat([0.0, 1.0], 10),
        np.r_[np.zeros(19), 1.0],
        np.r_[np.linspace(-1, 1, 19), 1e12],
        np.full(20, 3.0),
        1e-90 * np.arange(20),
        1e90 * np.arange(20),
    ],
)
def test_odd_scores_still_have_densities_and_thresholds(scores):
    y = np.where(np.arange(20) % 3 == 0, 1, -1)
    densities = estimate_densities(scores, y == 1)
    assert np.isfinite(densities.on_grid_positive).all()
    for rule in (MutualInformationRule(), ExpectedCostRule(method="newton")):
        fitted = rule.fit(scores, y)
        assert fitted.lower_ <= fitted.upper_
        assert fitted.decide(scores).shape == (20,)


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_scores_that_no_density_can_hold_are_refused(unit):
    scores, y = gaussian(0, 50)
    with pytest.raises(ValueError, match="scale them"):
        MutualInformationRule().fit(unit * scores, y)
    assert MutualInformationRule("exact").fit(unit * scores, y).lower_ is not None


def test_an_outlier_far_away_does_not_move_the_thresholds():
    scores, y = gaussian(3, 2000)
    here = MutualInformationRule().fit(scores, y)
    there = MutualInformationRule().fit(np.r_[scores, 1e9], np.r_[y, 1])
    assert there.lower_ == pytest.approx(here.lower_, abs=0.02)
    assert there.upper_ == pytest.approx(here.upper_, abs=0.02)


def test_few_distinct_scores_do_not_keep_newton_on_flat_parts(monkeypatch):
    calls = 0
    plain = ClassDensity.at

    def counted(density, z):
        nonlocal calls
        calls += 1
        return plain(density, z)

    monkeypatch.setattr(ClassDensity, "at", counted)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(24_000) < 0.4, 1, -1)
    far = np.where(rng.random(len(y)) < 0.01, 100, 0.01)
    MutualInformationRule().fit(np.where(rng.random(len(y)) < 0.8, y, -y) * far, y)
    # Two curves and their sum, from six starts each, at a hundred points at most.
    assert calls < 6 * (2 + 2 + 4) * 102


def test_newton_lands_within_a_tenth_of_exact_on_many_scores():
    scores, y = gaussian(4, 200_000, shift=1.0, share=0.35)
    smooth = MutualInformationRule().fit(scores, y)
    exact = MutualInformationRule("exact").fit(scores, y)
    assert smooth.lower_ == pytest.approx(exact.lower_, abs=0.1)
    assert smooth.upper_ == pytest.approx(exact.upper_, abs=0.1)
    assert smooth.n_iter_ <= 30
    nmi = [normalized_mutual_information(y, r.decide(scores)) for r in (smooth, exact)]
    assert nmi[1] - 0.002 <= nmi[0] <= nmi[1] + 1e-12


def test_newton_finds_the_optimum_of_its_grid():
    for objective in objectives(5):
        optimum = maximise_band(objective)
        lower, upper = objective.on_grid()
        grid_best = (np.maximum.accumulate(lower) + upper).max()
        assert optimum.value >= grid_best - 1e-9
        assert optimum.lower <= optimum.upper


@given(st.floats(-3, 3), st.floats(0.2, 3), st.floats(-5, 5))
def test_the_iteration_climbs_from_anywhere(middle, width, start):
    def bell(z):
        u = (z - middle) / width
        value = exp(-0.5 * u * u)
        return value, -u / width * value, (u * u - 1) / width**2 * value

    top, value, _ = maximise(bell, start, reach=1.0)
    assert top == pytest.approx(middle, abs=1e-6)
    assert value == pytest.approx(1.0)


def test_the_printed_sign_would_walk_away_from_the_maximum():
    objective = next(objectives())
    z = maximise_band(objective).lower + 0.1
    _, slope, curvature = objective.lower(z)
    printed, corrected = z + slope / curvature, z - slope / curvature
    assert objective.lower(printed)[0] < objective.lower(z)[0]
    assert objective.lower(corrected)[0] > objective.lower(z)[0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("reject_negative", [None, 0.4, 0.2])
def test_embedded_costs_return_the_thresholds_they_came_from(seed, reject_negative):
    scores, y = gaussian(seed, 4000, shift=0.8)
    rule = MutualInformationRule().fit(scores, y)
    embedded = rule.embedded_costs(reject_negative)
    assert embedded.admissible
    again = ExpectedCostRule(embedded.costs(), method="newton").fit(scores, y)
    assert again.lower_ == pytest.approx(rule.lower_, abs=1e-6)
    assert again.upper_ == pytest.approx(rule.upper_, abs=1e-6)
    if reject_negative is None:
        assert embedded.reject_positive == embedded.reject_negative
    else:
        assert embedded.reject_negative == reject_negative


def test_embedded_costs_that_reject_nothing_are_flagged():
    scores, y = gaussian(0, 2000)
    densities = estimate_densities(scores, y == 1)
    # The odds of -1 fall with the score: thresholds in the wrong order break (11).
    broken = embedded_costs(densities, 1.0, -1.0)
    assert not broken.admissible
    with pytest.raises(InvalidCostsError):
        broken.costs()
    held = embedded_costs(densities, -1.0, 1.0)
    assert held.admissible
    assert held.costs().p_minus < held.costs().p_plus
    with pytest.raises(ValueError, match="reject_negative"):
        embedded_costs(densities, -1.0, 1.0, reject_negative=1.0)


def test_embedded_costs_are_json_and_absent_where_a_threshold_is_infinite():
    scores, y = gaussian(0, 300)
    facts = MutualInformationRule().fit(scores, y).payload()
    both = facts["embedded_costs"]
    assert both["equal_reject_costs"]["false_positive"] == 1.0
    assert both["reject_negative_fixed"]["reject_negative"] == 0.4
    exact = MutualInformationRule("exact").fit([0.0, 0.0, 0.0], [1, -1, 1])
    assert exact.payload()["embedded_costs"] is None


def test_smooth_and_exact_cost_rules_agree_on_many_scores():
    scores, y = gaussian(6, 100_000)
    for costs in COSTS:
        smooth = ExpectedCostRule(costs, method="newton").fit(scores, y)
        exact = ExpectedCostRule(costs).fit(scores, y)
        prices = [
            expected_cost(y, rule.decide(scores), costs) for rule in (smooth, exact)
        ]
        assert prices[1] <= prices[0] + 1e-12
        assert prices[0] == pytest.approx(prices[1], rel=0.01)


def test_a_cost_rule_rejects_everything_where_that_is_cheapest():
    rng = np.random.default_rng(0)
    scores, y = rng.normal(size=500), np.where(rng.random(500) < 0.5, 1, -1)
    rule = ExpectedCostRule(CostMatrix(1, 1, 0.02, 0.02), method="newton")
    assert np.mean(rule.fit(scores, y).decide(scores) == 0) > 0.9


def test_the_rarer_class_still_gets_its_thresholds():
    scores, y = imbalanced(0, n=2100, decimals=3)
    rule = MutualInformationRule().fit(scores, y)
    assert rule.embedded_costs().false_negative > 5.0


def binary_entropy(q):
    return -q * log(q) - (1 - q) * log(1 - q)


@given(cost_matrices())
def test_the_double_hinge_that_belongs_to_costs(costs):
    shape = double_hinge_of(costs)
    t1, t2 = shape.reject_below, shape.reject_above
    rule = PlugInRule(costs).fit()
    assert (shape.lower, shape.upper) == pytest.approx((rule.lower_, rule.upper_))
    assert 0 < t1 + t2 <= 1

    def negative(f):
        return t1 * f + binary_entropy(t1), (1 - t2) * f + binary_entropy(1 - t2)

    def positive(f):
        return -(1 - t1) * f + binary_entropy(t1), -t2 * f + binary_entropy(1 - t2)

    tolerance = 1e-7 * (1 + abs(shape.zero_of_negative) + abs(shape.zero_of_positive))
    assert negative(shape.zero_of_negative)[0] == pytest.approx(0.0, abs=tolerance)
    assert positive(shape.zero_of_positive)[1] == pytest.approx(0.0, abs=tolerance)
    one, other = negative(shape.middle)
    assert one == pytest.approx(other, abs=tolerance)
