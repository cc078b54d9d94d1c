"""Simulated people whose errors are known are found out by their verdicts."""

import numpy as np
import pytest

from solvers.monitoring import estimated_skill, known_skill
from solvers.monitoring.reviewers import posterior


def simulated(seed, n=2000, s=0.85, t=0.92, second=0.15, truth=None):
    """Cases between thresholds, verdicts on them, and the truth."""
    draw = np.random.default_rng(seed)
    p = draw.beta(1.2, 2.0, n)
    drawn = draw.random(n) < p
    truth = drawn if truth is None else truth
    right = draw.random((n, 3)) < np.where(truth, s, t)[:, None]
    said = np.where(right == truth[:, None], 1, -1).astype(np.int8)
    asked = draw.random(n) < second
    said[~asked, 1:] = 0
    said[asked & (said[:, 0] == said[:, 1]), 2] = 0
    return said, p, truth


@pytest.mark.parametrize("second", [0.0, 0.15])
def test_people_are_measured_within_three_hundredths_at_two_thousand_cases(second):
    found = [
        estimated_skill(*simulated(seed, second=second)[:2], seed) for seed in range(15)
    ]
    assert np.mean([one.sensitivity for one in found]) == pytest.approx(0.85, abs=0.02)
    assert np.mean([one.specificity for one in found]) == pytest.approx(0.92, abs=0.02)
    spread = np.std([one.sensitivity for one in found])
    assert spread < 0.035
    held = [
        one.sensitivity_interval[0] <= 0.85 <= one.sensitivity_interval[1]
        for one in found
    ]
    assert np.mean(held) >= 0.8
    held = [
        one.specificity_interval[0] <= 0.92 <= one.specificity_interval[1]
        for one in found
    ]
    assert np.mean(held) >= 0.8


def test_the_fixed_point_satisfies_its_equations():
    said, p, _ = simulated(1, n=500)
    found = estimated_skill(said, p)
    g = posterior(said, p, found)
    voted, up = (said != 0), (said > 0)
    s = ((g[:, None] * up).sum() + 4) / ((g[:, None] * voted).sum() + 5)
    t = (((1 - g)[:, None] * (said < 0)).sum() + 4) / (
        ((1 - g)[:, None] * voted).sum() + 5
    )
    assert (found.sensitivity, found.specificity) == pytest.approx((s, t), abs=1e-6)
    odds = np.log(p / (1 - p))
    short = g - 1 / (1 + np.exp(-found.machine_offset - found.machine_slope * odds))
    prior = 4 * np.array([found.machine_offset, found.machine_slope - 1])
    assert [short.sum(), short @ odds] == pytest.approx(prior, abs=1e-3)


def test_people_who_contradict_a_machine_that_is_out_of_date_are_no_worse():
    """One case in four is a +1 of a kind that the machine holds for a -1."""
    found = []
    for seed in range(8):
        draw = np.random.default_rng(seed)
        new = draw.random(2000) < 0.25
        _, p, truth = simulated(seed)
        said, _, _ = simulated(seed, truth=truth | new)
        p = np.where(new, draw.uniform(0.03, 0.25, len(p)), p)
        found.append(estimated_skill(said, p, seed))
    assert np.mean([one.sensitivity for one in found]) == pytest.approx(0.85, abs=0.03)
    assert np.mean([one.specificity for one in found]) == pytest.approx(0.92, abs=0.03)
    assert max(one.machine_slope for one in found) < 0.7


def test_without_second_opinions_the_machine_is_believed():
    found = estimated_skill(*simulated(4, second=0.0)[:2])
    assert (found.machine_offset, found.machine_slope) == (0.0, 1.0)


def test_swapping_the_classes_swaps_the_shares():
    said, p, _ = simulated(2, n=400)
    one, other = estimated_skill(said, p), estimated_skill(-said, 1 - p)
    assert one.sensitivity == pytest.approx(other.specificity, abs=1e-6)
    assert one.positives == pytest.approx(other.negatives, rel=1e-6)


def test_late_truth_gives_the_plain_shares():
    said, _, truth = simulated(3)
    found = known_skill(said[:, 0] > 0, truth)
    assert found.sensitivity == pytest.approx(0.85, abs=0.03)
    low, high = found.specificity_interval
    assert low < 0.92 < high
    assert found.positives + found.negatives == 2000


def test_nobody_is_measured_by_nothing():
    assert estimated_skill(np.zeros((0, 1), dtype=np.int8), np.zeros(0)) is None
    assert known_skill(np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)) is None
    few = known_skill(np.array([True]), np.array([True]))
    assert few.specificity_interval == (0.0, 1.0)
