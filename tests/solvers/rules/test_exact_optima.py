"""Exact empirical rules against a search over every pair of thresholds."""

import numpy as np
import pytest
from draws import cost_matrices, every_band, gaussian, imbalanced, labelled_scores
from hypothesis import given
from hypothesis import strategies as st

from solvers.costs import CostMatrix
from solvers.metrics import modified_mutual_information, reject_rate
from solvers.rules import (
    BoundedAbstentionRule,
    ExpectedCostRule,
    MutualInformationRule,
    SymmetricRule,
)
from solvers.rules.counts import count
from solvers.rules.mutual_information import _by_all_cuts, best_information_band


def information(y, band, scores):
    return modified_mutual_information(y, band.decide(scores))


def cost(costs, y, band, scores, weights=None):
    return np.average(costs.of_decisions(y, band.decide(scores)), weights=weights)


@given(labelled_scores(), cost_matrices())
def test_roc_finds_the_cheapest_pair(drawn, costs):
    scores, y = drawn
    rule = ExpectedCostRule(costs).fit(scores, y)
    best = min(cost(costs, y, band, scores) for band in every_band(scores))
    assert cost(costs, y, rule, scores) == pytest.approx(best, abs=1e-9)


@given(labelled_scores(most=16), cost_matrices(), st.data())
def test_roc_with_weights_finds_the_cheapest_pair(drawn, costs, data):
    scores, y = drawn
    weights = np.asarray(
        data.draw(
            st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)).filter(
                lambda w: all((np.asarray(w)[y == s] > 0).any() for s in (-1, 1))
            )
        )
    )
    rule = ExpectedCostRule(costs).fit(scores, y, weights)
    best = min(cost(costs, y, band, scores, weights) for band in every_band(scores))
    assert cost(costs, y, rule, scores, weights) == pytest.approx(best, abs=1e-9)


@given(labelled_scores())
def test_exact_information_finds_the_most_informative_pair(drawn):
    scores, y = drawn
    rule = MutualInformationRule("exact").fit(scores, y)
    best = max(information(y, band, scores) for band in every_band(scores))
    assert information(y, rule, scores) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_one_to_twenty_with_ties(seed):
    scores, y = imbalanced(seed)
    bands = every_band(scores)
    exact = MutualInformationRule("exact").fit(scores, y)
    best = max(information(y, band, scores) for band in bands)
    assert information(y, exact, scores) == pytest.approx(best, abs=1e-12)
    costs = CostMatrix(1, 20, 1.0, 0.2)
    roc = ExpectedCostRule(costs).fit(scores, y)
    cheapest = min(cost(costs, y, band, scores) for band in bands)
    assert cost(costs, y, roc, scores) == pytest.approx(cheapest, abs=1e-12)


@given(labelled_scores(), cost_matrices())
def test_symmetric_finds_the_cheapest_width(drawn, costs):
    scores, y = drawn
    rule = SymmetricRule(costs).fit(scores, y)

    def at(t):
        inside = np.abs(scores) < t
        decided = np.where(inside, 0, np.where(scores >= 0, 1, -1))
        return costs.of_decisions(y, decided).mean()

    best = min(at(t) for t in [0.0, *np.unique(np.abs(scores)), np.inf])
    assert cost(costs, y, rule, scores) == pytest.approx(best, abs=1e-9)
    assert at(rule.upper_) == pytest.approx(best, abs=1e-9)


@given(labelled_scores(), st.one_of(st.none(), cost_matrices()), st.floats(0.0, 1.0))
def test_bounded_abstention_finds_the_cheapest_pair_within_the_limit(
    drawn, costs, limit
):
    scores, y = drawn
    rule = BoundedAbstentionRule(limit, costs).fit(scores, y)

    def price(band):
        decided = band.decide(scores)
        if costs is None:
            return np.mean((decided != 0) & (decided != y))
        return costs.of_decisions(y, decided).mean()

    allowed = [
        band
        for band in every_band(scores)
        if reject_rate(band.decide(scores)) <= limit + 1e-12
    ]
    assert reject_rate(rule.decide(scores)) <= limit + 1e-12
    assert price(rule) == pytest.approx(min(map(price, allowed)), abs=1e-9)


@pytest.mark.parametrize("limit", [0.1, 0.0375, 0.4])
def test_bounded_abstention_takes_its_limit_to_the_row(limit):
    scores, y = gaussian(5, 2000, shift=0.3)
    rule = BoundedAbstentionRule(limit).fit(scores, y)
    rejected = np.count_nonzero(rule.decide(scores) == 0)
    assert limit - 0.002 <= rejected / 2000 <= limit


def test_of_bands_that_cost_the_same_the_one_that_rejects_least_is_taken():
    scores, y = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1, -1, 1, 1])
    rule = BoundedAbstentionRule(0.5).fit(scores, y)
    assert rule.decide(scores).tolist() == y.tolist()


@pytest.mark.parametrize("decimals", [1, 2, 3, 9])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_pruning_blocks_loses_nothing(decimals, share):
    scores, y = gaussian(decimals, 20_000, share=share)
    scores = np.round(scores, decimals)
    fast = best_information_band(scores, y == 1)
    slow = _by_all_cuts(count(scores, y == 1))
    assert information(y, fast, scores) == pytest.approx(
        information(y, slow, scores), abs=1e-13
    )


def test_crossing_optima_are_solved_together():
    # Labels that fall with the score: unconstrained, the thresholds would cross.
    rng = np.random.default_rng(0)
    scores = rng.normal(size=9000)
    y = np.where(rng.random(9000) < 1 / (1 + np.exp(2 * scores)), 1, -1)
    band = best_information_band(scores, y == 1)
    cuts = np.quantile(scores, np.linspace(0, 1, 60))
    grid = every_band(cuts)
    best = max(information(y, candidate, scores) for candidate in grid)
    assert band.lower <= band.upper
    assert information(y, band, scores) >= best - 1e-12


def test_other_costs_need_no_refit():
    scores, y = gaussian(3, 2000)
    first = ExpectedCostRule(CostMatrix()).fit(scores, y)
    for costs in (CostMatrix(1, 5, 0.5, 0.2), CostMatrix(3, 1, 0.1, 0.4)):
        fresh = ExpectedCostRule(costs).fit(scores, y)
        other = first.at_costs(costs)
        assert (other.lower_, other.upper_) == (fresh.lower_, fresh.upper_)
        assert other.costs == costs


def test_reviews_per_day_are_a_share():
    scores, y = gaussian(4, 1000)
    by_share = BoundedAbstentionRule(0.2).fit(scores, y)
    by_day = BoundedAbstentionRule(reviews_per_day=30, cases_per_day=150).fit(scores, y)
    assert (by_day.lower_, by_day.upper_) == (by_share.lower_, by_share.upper_)
    enough = BoundedAbstentionRule(reviews_per_day=9, cases_per_day=3).fit(scores, y)
    assert enough.payload()["max_reject_rate"] == 1.0


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"max_reject_rate": 1.5},
        {"max_reject_rate": 0.1, "reviews_per_day": 3, "cases_per_day": 9},
        {"reviews_per_day": 3},
        {"reviews_per_day": 3, "cases_per_day": 0},
        {"reviews_per_day": -1, "cases_per_day": 9},
    ],
)
def test_a_limit_that_is_none_is_refused(parameters):
    with pytest.raises(ValueError, match=r"max_reject_rate|per day"):
        BoundedAbstentionRule(**parameters).fit([0.0, 1.0], [-1, 1])
