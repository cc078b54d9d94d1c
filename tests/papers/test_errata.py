"""Each printed formula that is wrong, shown by numbers (docs/errata.md says them)."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize

from experiments.double_hinge_tables import PRINTED
from solvers import CostMatrix, HingeSVC, ProbabilisticLabelSVC, ReducedSetSVC
from solvers.metrics import expected_cost, normalized_mutual_information
from solvers.rules import SymmetricRule
from solvers.rules.densities import estimate_densities
from solvers.rules.embedded_costs import embedded_costs
from solvers.rules.objectives import InformationObjective
from solvers.rules.smooth_optimum import maximise_band

ROOT = Path(__file__).parents[2]


def test_every_erratum_names_a_test_of_this_file():
    page = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
    named = {
        word.split("::")[1] for word in page.split("`") if "test_errata.py::" in word
    }
    own = {name for name in globals() if name.startswith("test_")}
    assert named == own - {"test_every_erratum_names_a_test_of_this_file"}


# Boosting with abstention


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


# Mutual information


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


# Support vector reduction


def overlapping(seed=0, n_rows=120):
    rng = np.random.default_rng(seed)
    y = np.repeat([-1.0, 1.0], n_rows // 2)
    return rng.normal(size=(n_rows, 2)) + 0.9 * y[:, np.newaxis], y


def test_a_signed_distance_would_drop_one_whole_class():
    X, y = overlapping()
    f = HingeSVC(C=100.0, gamma=0.3).fit(X, y).decision_function(X)
    signed, size = f < 0.3, np.abs(f) < 0.3
    right = f * y > 0.0
    assert signed[right & (y < 0)].all()
    assert not size[right & (y < 0)].all()
    # Swapped classes must leave the same rows: only the size does that.
    np.testing.assert_array_equal(np.abs(-f) < 0.3, size)
    assert ((-f < 0.3) != signed).any()


def test_a_weighted_pair_with_the_last_kernel_rejects_nothing():
    X, y = overlapping()
    shared = {"method": "m2rs", "C": 1e4, "gamma": 50.0, "rejection_cost": 0.24}
    same = ReducedSetSVC(**shared).fit(X, y)
    assert same.report_["removed"] == 0
    own = ReducedSetSVC(**shared, first_stage={"gamma": 0.05, "C": 10.0}).fit(X, y)
    assert own.report_["removed"] > 0


# P-SVM


def test_the_third_block_row_needs_a_transpose_and_the_lengths_are_m_minus_n():
    rng = np.random.default_rng(0)
    n, m = 4, 7
    X, y = rng.normal(size=(m, 2)), rng.choice([-1.0, 1.0], n)
    sure, unsure = X[:n], X[n:]
    K1, K3 = np.outer(y, y) * (sure @ sure.T), unsure @ unsure.T
    K2 = y[:, np.newaxis] * (sure @ unsure.T)
    G = np.block([[K1, -K2, K2], [-K2.T, K3, -K3], [K2.T, -K3, K3]])
    gamma = rng.random(2 * m - n)  # n + 2 (m - n), and n - m is negative
    a, up, down = np.split(gamma, [n, m])
    w = (a * y) @ sure - (up - down) @ unsure
    assert gamma @ G @ gamma == pytest.approx(w @ w)
    np.testing.assert_allclose(G, G.T)
    with pytest.raises(ValueError, match="must match exactly"):
        np.block([[K1, -K2, K2], [-K2.T, K3, -K3], [K2, -K3, K3]])  # as printed
    # Where the shapes happen to agree (m = 2n), K_2 is not its own transpose.
    square = y[:, np.newaxis] * (sure @ rng.normal(size=(n, 2)).T)
    assert not np.allclose(square, square.T)


def test_the_one_sided_divergence_can_be_negative():
    truth, estimate = np.array([0.3, 0.4]), np.array([0.5, 0.6])
    assert np.sum(truth * np.log(truth / estimate)) < 0.0
    other = (1.0 - truth) * np.log((1.0 - truth) / (1.0 - estimate))
    assert np.sum(truth * np.log(truth / estimate) + other) > 0.0


def test_a_tube_that_reaches_zero_or_one_has_no_bound_there():
    # z = -ln(1 / (p - eta) - 1) / a as printed has no value for p <= eta.
    X = np.linspace(-2.0, 2.0, 21)[:, np.newaxis]
    p = np.clip(0.5 + 0.3 * X[:, 0], 0.15, 0.85)
    machine = ProbabilisticLabelSVC(eta=0.2, C=100.0, C_prob=100.0).fit(X, p)
    q = machine.predict_proba(X)[:, 1]
    assert np.isfinite(q).all()
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.log(1.0 / (0.15 - 0.2) - 1.0))


# Double hinge


def test_the_naive_method_does_not_reject_fewer_on_pima():
    rejected = {rule: PRINTED["pima", rule][1] for rule in ("naive", "plug-in")}
    assert rejected["naive"] > rejected["plug-in"]
    for loss, reject, error in PRINTED.values():  # so errors are over all rows
        assert loss == pytest.approx(0.45 * reject + error, abs=0.13)
