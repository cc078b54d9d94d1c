"""What a probability promises: mean expected cost is mean real cost, per decision.

Many calibrations, each of ``ROWS`` scores, decide fresh rows by Chow's rule. A mean of
costs that were counted on as many rows as all calibrations saw would have a standard
error; within three of these the expected costs are right, over all rows and for each
decision.
"""

import numpy as np
import pytest

from solvers.calibration import fit_calibration
from solvers.costs import CostMatrix

ROWS, DRAWS, FRESH = 1200, 25, 8000
TRIAGE = CostMatrix(1.0, 5.0, 0.6, 0.3)


def bell(rng, n):
    """Scores that are the log-odds, up to their unit."""
    f = rng.normal(size=n)
    return 3.0 * f, 1.2 * f - 0.3


def crowded(rng, n):
    """A hinge's scores: most lie at -1 and +1, whatever the odds are."""
    z = 1.5 * rng.normal(size=n) - 0.5
    return np.clip(z, -1.0, 1.0) + 0.1 * z, z


def heavy(rng, n):
    """A few scores far outside, which say nothing more."""
    z = 1.5 * rng.normal(size=n)
    return z * np.where(rng.random(n) < 0.02, 1e6, 1.0), z


def rare(rng, n):
    """One row in ten is +1."""
    z = 1.8 * rng.normal(size=n) - 3.2
    return np.tanh(0.4 * (z + 3.2)), z


def useless(rng, n):
    """Scores that tell nothing: every row has the same odds."""
    return rng.normal(size=n), np.full(n, -1.0)


@pytest.mark.parametrize("costs", [TRIAGE, CostMatrix()], ids=["triage", "symmetric"])
@pytest.mark.parametrize("world", [bell, crowded, heavy, rare, useless])
def test_the_mean_expected_cost_is_the_mean_real_cost(world, costs):
    rng = np.random.default_rng(28)
    parts = []
    for _ in range(DRAWS):
        scores, z = world(rng, ROWS)
        y = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-z)), 1, -1)
        calibration = fit_calibration(scores, y)
        fresh, z = world(rng, FRESH)
        p = calibration.probability(fresh)
        assert 0.0 < p.min() <= p.max() < 1.0
        each = costs.expected(p)
        taken = np.argmin(each, axis=1)
        told = each[np.arange(FRESH), taken]
        label = np.where(rng.random(FRESH) < 1 / (1 + np.exp(-z)), 1, -1)
        paid = costs.of_decisions(label, np.array([1, -1, 0])[taken])
        parts.append((taken, told, paid))
    taken, told, paid = map(np.concatenate, zip(*parts, strict=True))
    assert len(taken) == 200_000
    for chosen in (taken >= 0, taken == 0, taken == 1, taken == 2):
        n = chosen.sum()
        if n == 0:
            continue
        counted = n / FRESH * ROWS
        error = paid[chosen].std() * np.sqrt(1 / counted + 1 / n)
        assert abs(told[chosen].mean() - paid[chosen].mean()) <= 3 * error + 1e-12
