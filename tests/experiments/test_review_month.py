"""The loop pays: an alarm where the world changes, and a next version that knows it."""

import io

import numpy as np
import pytest
from rich.console import Console

from experiments.review_month import World, play


def small_world(rng):
    """Return days in whose second half +1 come where there were only -1."""

    def drawn(n, new):
        kind = rng.choice(3, size=n, p=[0.6, 0.4 - new, new])
        centre = np.array([[0.0, 0.0], [2.5, 0.0], [-4.0, 3.0]])[kind]
        return centre + rng.normal(size=(n, 2)), kind > 0

    days = [drawn(120, 0.25 * (day >= 2)) for day in range(5)]
    return World(["a", "b"], drawn(500, 0.0), days, drawn(1000, 0.25))


AUDITED = 0.5
"""Which rows are audited follows a secret that is new each time: of so few days a small
share is too few rows for each draw to teach what the limits below ask for."""


@pytest.mark.thorough
def test_a_few_days_raise_the_alarm_and_teach_the_next_version():
    rng = np.random.default_rng(3)
    told = play(small_world(rng), Console(file=io.StringIO()), seed=1, audited=AUDITED)
    assert told.alarms
    assert all(day > 2 for day, _ in told.alarms)
    costs = told.costs
    assert costs["next version"] < 0.7 * costs["nothing done"]
    assert costs["all labels known"] < costs["next version"]
    assert told.rows["audits"] > 30
