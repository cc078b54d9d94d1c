"""What is printed wrong on rules of mutual information, shown by numbers."""

import numpy as np
import pytest

from solvers.metrics import normalized_mutual_information
from solvers.rules.densities import estimate_densities
from solvers.rules.embedded_costs import embedded_costs
from solvers.rules.objectives import InformationObjective
from solvers.rules.smooth_optimum import maximise_band


def scores(seed=0, n_rows=500):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n_rows) < 0.4, 1, -1)
    return y * 0.8 + rng.normal(size=n_rows), y


def test_the_newton_step_for_a_maximum_has_a_minus():
    f, y = scores()
    target = InformationObjective(estimate_densities(f, y == 1))
    best = maximise_band(target)
    ends = {}
    for sign in (1.0, -1.0):  # as printed, corrected; alpha = 1
        pair = np.array([best.lower + 0.1, best.upper - 0.1])
        for _ in range(6):
            for place, curve in enumerate((target.lower, target.upper)):
                _, gradient, curvature = curve(pair[place])
                pair[place] += sign * gradient / curvature
        ends[sign] = target.lower(pair[0])[0] + target.upper(pair[1])[0]
    assert ends[-1.0] == pytest.approx(best.value, abs=1e-9)
    assert ends[1.0] < best.value - 0.005


def test_embedded_costs_satisfy_their_constraints_only_where_the_odds_fall():
    f, y = scores(1, 120)
    densities = estimate_densities(f, y == 1)
    rng = np.random.default_rng(0)
    held = []
    for _ in range(300):
        lower, upper = np.sort(rng.uniform(-5.0, 5.0, 2))
        found = embedded_costs(densities, lower, upper)
        crp, crn, cfn = (
            found.reject_positive,
            found.reject_negative,
            found.false_negative,
        )
        satisfied = 0 < crp < cfn and 0 < crn < 1 and crp + crn * cfn < cfn  # (11)
        odds = [densities.odds_of_negative(z) for z in (lower, upper)]
        assert satisfied == (odds[0] > odds[1])
        assert satisfied == found.admissible
        held.append(satisfied)
    assert not all(held)  # "always satisfies the constraints" it does not
    assert any(held)


def test_the_modified_information_is_not_that_of_the_three_decisions():
    f, y = scores()
    decisions = np.where(f > 0.3, 1, np.where(f < -1.0, -1, 0))
    table = np.array(
        [[np.mean((y == t) & (decisions == d)) for d in (-1, 1, 0)] for t in (-1, 1)]
    )
    prior, columns = table.sum(axis=1), table.sum(axis=0)
    cells = table * np.log(table / np.outer(prior, columns))
    entropy = -np.sum(prior * np.log(prior))
    assert normalized_mutual_information(y, decisions) == pytest.approx(
        cells[:, :2].sum() / entropy
    )
    assert cells[:, 2].sum() > 0.004
