"""How soon audits would find a doubling of the errors."""

import numpy as np

from app.monitor.service import _found_after
from solvers.monitoring import LimitDetector


def test_more_audits_find_a_doubling_sooner_and_too_few_never():
    found = [_found_after(0.05, 250.0, a_day) for a_day in (5.0, 10.0, 20.0, 40.0)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 2 * found[-1] > 0
    assert _found_after(0.05, 250.0, 0.5) is None
    assert _found_after(0.05, 250.0, 0.0) is None


def test_a_doubling_is_found_about_when_it_is_told():
    draw = np.random.default_rng(0)
    told = _found_after(0.05, 250.0, 20.0)
    days = []
    for _ in range(300):
        detector, day = LimitDetector(0.05, 250.0), 0
        while not detector.alarmed:
            detector, day = detector.add(float(draw.binomial(20, 0.1)), 20), day + 1
        days.append(day)
    assert 0.5 * told < np.mean(days) < 1.5 * told
