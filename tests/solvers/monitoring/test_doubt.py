"""What doubt is worth: the line is found again, and few statements move little."""

import numpy as np
import pytest

from solvers.monitoring import calibrated_doubt
from solvers.monitoring.doubt import MEANT

STEPS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])


def people(n, offset, slope, seed=0):
    """Return statements, and truth that comes as the line says."""
    draw = np.random.default_rng(seed)
    sure = draw.choice(STEPS, n)
    stated = np.where(draw.random(n) < 0.5, sure, 1 - sure)
    odds = offset + slope * np.log(stated / (1 - stated))
    return stated, (draw.random(n) < 1 / (1 + np.exp(-odds))).astype(float)


@pytest.mark.parametrize(("offset", "slope"), [(0.0, 1.0), (0.8, 0.5), (-0.5, 1.3)])
def test_the_line_is_found_again(offset, slope):
    found = calibrated_doubt(*people(8000, offset, slope))
    assert found.offset == pytest.approx(offset, abs=0.1)
    assert found.slope == pytest.approx(slope, abs=0.1)


def test_the_intervals_hold_what_they_say():
    held = 0
    for seed in range(200):
        found = calibrated_doubt(*people(300, 0.3, 0.8, seed))
        (low_a, high_a), (low_b, high_b) = found.offset_interval, found.slope_interval
        held += (low_a < 0.3 < high_a) + (low_b < 0.8 < high_b)
    assert 370 <= held <= 400, "380 of 400 are expected"


def test_without_statements_people_mean_what_all_do_and_few_move_little():
    assert calibrated_doubt(np.empty(0), np.empty(0)).slope == MEANT.slope
    pool = calibrated_doubt(*people(4000, 0.5, 0.6))
    alone = calibrated_doubt(np.empty(0), np.empty(0), pool)
    assert (alone.offset, alone.slope) == (pool.offset, pool.slope)
    some, many = (calibrated_doubt(*people(n, 0, 1.2, 5), pool) for n in (10, 3000))
    assert abs(some.slope - pool.slope) < abs(many.slope - pool.slope)
    assert many.slope == pytest.approx(1.2, abs=0.1)


def test_it_is_the_mode():
    stated, truth = people(150, 0.4, 0.7, seed=3)
    found = calibrated_doubt(stated, truth)
    odds = np.log(stated / (1 - stated))

    def lost(a, b):
        q = 1 / (1 + np.exp(-(a + b * odds)))
        likely = truth * np.log(q) + (1 - truth) * np.log(1 - q)
        return (a / 0.7) ** 2 / 2 + ((b - 1) / 0.5) ** 2 / 2 - likely.sum()

    best = lost(found.offset, found.slope)
    for a in np.linspace(-0.2, 0.2, 9):
        for b in np.linspace(-0.2, 0.2, 9):
            assert best <= lost(found.offset + a, found.slope + b) + 1e-9


@pytest.mark.parametrize("right", [True, False])
def test_those_who_are_always_certain_get_a_probability_inside(right):
    stated = np.array([1.0, 0.0] * 100)
    truth = stated if right else 1 - stated
    found = calibrated_doubt(stated, truth)
    # Certainty is held at .99.
    odds = found.offset + found.slope * np.log(99) * np.array([-1.0, 1.0])
    meant = 1 / (1 + np.exp(-odds))
    assert 0 < meant.min() < meant.max() < 1
    assert (meant[1] > 0.98) if right else (meant[1] < meant[0])
