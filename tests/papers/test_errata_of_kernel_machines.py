"""What is printed wrong on kernel machines, shown by numbers."""

import numpy as np
import pytest

from experiments.double_hinge_tables import PRINTED
from solvers import HingeSVC, ProbabilisticLabelSVC, ReducedSetSVC

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
