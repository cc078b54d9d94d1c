"""What is printed wrong on boosting with abstention, shown by numbers."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize

from solvers import CostMatrix
from solvers.metrics import expected_cost
from solvers.rules import SymmetricRule


def boosting_state(seed, cost=0.2, n_rows=60):
    """Return rows, a random state (h, r) of an ensemble, and the printed weights D."""
    rng = np.random.default_rng(seed)
    x, y = (
        np.sort(rng.normal(size=n_rows)),
        np.where(rng.random(n_rows) < 0.5, -1.0, 1.0),
    )
    h, r = rng.normal(size=n_rows), rng.normal(0.3, 0.5, n_rows)
    b = 2.0 * np.sqrt((1.0 - cost) / cost)
    first, second = np.exp(r - y * h), np.exp(-b * r)
    Z = float(np.sum(first + second))
    state = SimpleNamespace(x=x, y=y, h=h, r=r, b=b, c=cost, m=n_rows, Z=Z)
    state.D1, state.D2 = first / Z, second / Z
    return state


def objective(s, h_step=0.0, r_step=0.0):
    """Return F (6) with beta = 0, after a step of the ensemble."""
    h, r = s.h + h_step, s.r + r_step
    return float(np.mean(np.exp(r - s.y * h) + s.c * np.exp(-s.b * r)))


def slope(s, h, r, step=1e-6):
    """Return the derivative of F along the pair (h, r), times m / Z."""
    ahead, behind = (objective(s, k * h, k * r) for k in (step, -step))
    return (ahead - behind) / (2.0 * step) * s.m / s.Z


def stump(s):
    """Return h and r^ of Figure 4, left: -1, reject, +1."""
    low, high = np.quantile(s.x, (0.3, 0.7))
    return -1.0 * (s.x <= low) + 1.0 * (s.x > high), 1.0 * ((s.x > low) & (s.x <= high))


@pytest.mark.parametrize("seed", range(5))
def test_the_middle_weight_is_that_of_a_stump_that_accepts(seed):
    s = boosting_state(seed)
    h, rejected = stump(s)
    wrong = (h * s.y < 0.0) * 2.0 * s.D1
    middle = s.c * s.b * s.D2
    printed = np.sum(wrong + (2.0 * s.D1 - middle) * rejected) - np.sum(s.D1)
    corrected = np.sum(wrong + middle * rejected) - np.sum(s.D1)
    assert slope(s, h, -rejected) == pytest.approx(corrected, abs=1e-6)
    assert slope(s, h, -rejected) != pytest.approx(printed, abs=1e-2)
    assert slope(s, h, +rejected) == pytest.approx(printed, abs=1e-6)


def test_the_second_distribution_divides_its_own_weights():
    s = boosting_state(0)
    assert np.sum(s.D2 / s.D2.sum()) == pytest.approx(1.0)
    assert np.sum(s.D1 / s.D2.sum()) != pytest.approx(1.0, abs=0.1)
    # Only with its own weights does the printed direction equal the derivative.
    h, rejected = stump(s)
    error = 0.5 * (1.0 - np.sum(s.D1 * s.y * h) / s.D1.sum())
    first = np.sum(s.D1 * -rejected) / s.D1.sum()
    second = np.sum(s.D2 * -rejected) / s.D2.sum()
    weight = 2.0 * np.sqrt(s.c * (1.0 - s.c))
    direction = s.D1.sum() * (2.0 * error + first) - weight * s.D2.sum() * second
    assert slope(s, h, -rejected) == pytest.approx(direction - s.D1.sum(), abs=1e-6)


def test_the_first_normaliser_is_two_m():
    s = boosting_state(0)
    s.h, s.r = np.zeros(s.m), np.zeros(s.m)
    s.Z = 2.0 * s.m
    s.D1 = s.D2 = np.full(
        s.m, 1.0 / (2.0 * s.m)
    )  # as line 2 of the algorithm sets them
    h, rejected = stump(s)
    expected = np.sum(s.D1 * (-rejected - s.y * h) + s.c * s.b * s.D2 * rejected)
    assert slope(s, h, -rejected) == pytest.approx(expected, abs=1e-6)


def test_only_the_constant_pair_that_accepts_undoes_rejection():
    rng = np.random.default_rng(0)
    s = boosting_state(0)
    for _ in range(200):
        cuts = np.sort(rng.choice(s.x, (5, 2)), axis=1)
        rejects = np.array([(s.x > a) & (s.x <= z) for a, z in cuts])
        printed = -rng.random(5) @ rejects - rng.random()  # with the pair (0, -1)
        assert (printed <= 0.0).all()  # every row is rejected, whatever the weights
        accepting = printed + 10.0  # with enough of the pair (0, +1)
        assert (accepting > 0.0).any()


def test_the_closed_form_step_can_be_undefined_or_ascend():
    undefined = ascends = tried = 0
    for seed in range(400):
        s = boosting_state(seed)
        h, rejected = stump(s)
        if slope(s, h, -rejected) >= 0.0:
            continue
        tried += 1
        first, second = s.D1.sum(), s.D2.sum()
        error = 0.5 * (1.0 - np.sum(s.D1 * s.y * h) / first)
        share = [np.sum(D * -rejected) / D.sum() for D in (s.D1, s.D2)]
        weight = 2.0 * np.sqrt(s.c * (1.0 - s.c))
        Z = first * (error + share[0] / 2.0) - weight * second * share[1] / 2.0
        if not 0.0 < Z < first:
            undefined += 1
            continue
        step = 0.5 * np.log(first / Z - 1.0)  # line 8 with beta = 0
        ascends += objective(s, step * h, -step * rejected) > objective(s)
    assert tried > 100
    assert undefined + ascends > 0.2 * tried
    assert ascends > 0.05 * tried


def test_the_objective_has_a_minimum_and_no_maximum():
    s = boosting_state(0)
    s.h, s.r = np.zeros(s.m), np.zeros(s.m)
    h, rejected = stump(s)

    def value(weights):
        steps = weights[0] * h, weights[1] - weights[0] * rejected
        return objective(s, *steps)

    assert value((50.0, 50.0)) > 1e15  # weights may grow without bound, and so does F
    found = minimize(value, (0.1, 0.1), bounds=[(0.0, None)] * 2)
    assert found.success
    assert found.fun < value((0.0, 0.0))


def test_the_printed_constant_is_not_calibrated_for_the_logistic_loss():
    c = 0.25

    def best_r(p, b):
        def loss(pair):
            h, r = pair
            phi = [np.logaddexp(0.0, u) / np.log(2.0) for u in (r - h, r + h, -b * r)]
            return p * phi[0] + (1.0 - p) * phi[1] + c * phi[2]

        return minimize(loss, np.zeros(2)).x[1]

    printed, calibrated = 2.0 * np.sqrt((1.0 - c) / c), 4.0 * (1.0 - c)
    for p, rejects in ((0.2, False), (0.28, True), (0.4, True)):
        assert (best_r(p, calibrated) <= 0.0) == rejects  # as Bayes: p between c, 1 - c
    assert best_r(0.28, printed) > 0.0
    assert best_r(0.33, printed) < 0.0


def test_the_printed_thresholds_always_reject():
    h = np.linspace(-1.0, 1.0, 2000)  # weights that sum to 1, and always right
    y = np.where(h > 0.0, 1, -1)
    costs = CostMatrix(1.0, 1.0, 0.45, 0.45)
    paid = [
        expected_cost(y, np.where(np.abs(h) > g, y, 0), costs)
        for g in 0.08 * np.arange(1, 13)
    ]
    assert min(paid) > 0.03
    assert expected_cost(y, SymmetricRule(costs).fit(h, y).decide(h), costs) == 0.0
