"""Intervals hold where errors are rare, dear, weighted, doubtful or come in groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers import metrics
from solvers.costs import CostMatrix
from solvers.metrics.intervals import Units
from solvers.metrics.mean_limits import binomial_interval, mean_limits
from solvers.metrics.probability_intervals import probability_intervals

TRIAGE = CostMatrix(1, 5, 0.6, 0.3)
DEAR = CostMatrix(1, 50, 0.6, 0.3)
EVEN = CostMatrix(1, 1, 0.25, 0.25)

# costs, a world (spread and middle of the log-odds), rows, and what is special
SCENARIOS = {
    "2 % positives, 60 rows": (DEAR, (1.5, -5.0), 60, {}),
    "2 % positives, 150 rows": (DEAR, (1.5, -5.0), 150, {}),
    "2 % positives, 500 rows": (DEAR, (1.5, -5.0), 500, {}),
    "2 % positives, 2000 rows": (DEAR, (1.5, -5.0), 2000, {}),
    "triage, 60 rows": (TRIAGE, (2.0, -1.0), 60, {}),
    "triage, 150 rows": (TRIAGE, (2.0, -1.0), 150, {}),
    "1 % errors, 100 rows": (EVEN, (30.0, 0.0), 100, {}),
    "40 groups of 10": (TRIAGE, (2.0, -1.0), 400, {"size": 10}),
    "40 groups of 3": (TRIAGE, (2.0, -1.0), 120, {"size": 3}),
    "groups of any size": (TRIAGE, (2.0, -1.0), 400, {"size": 10, "uneven": True}),
    "another prevalence": (TRIAGE, (2.0, -0.5), 150, {"prevalence": 0.05}),
    "doubtful labels": (TRIAGE, (2.0, -1.0), 80, {"doubt": True}),
}


def world(rng, odds, rows, size=1, uneven=False, prevalence=None, doubt=False):
    """Return share of +1, probability that a model says, weights and groups."""
    of_group = np.full(rows // size, size)
    if uneven:
        of_group = rng.geometric(1 / size, rows // size)
    groups = np.repeat(np.arange(len(of_group)), of_group)
    spread, middle = odds
    log_odds = spread * rng.normal(size=len(groups)) + middle
    common = 2.0 * rng.normal(size=len(of_group))[groups] if size > 1 else 0.0
    truth = 1 / (1 + np.exp(-(log_odds + common)))
    share = truth if doubt else (rng.random(len(truth)) < truth).astype(float)
    weight = np.ones(len(share))
    if prevalence is not None:
        own = share.mean()
        weight = np.where(share > 0, prevalence / own, (1 - prevalence) / (1 - own))
    return share, 1 / (1 + np.exp(-log_odds)), weight, groups if size > 1 else None


def figures(costs, share, said, weight, groups):
    decided = np.array([1, -1, 0])[np.argmin(costs.expected(said), axis=1)]
    units = Units.of_rows(share, decided, weight, groups)
    against = units.against_constants(costs)
    return {
        **units.intervals(costs),
        **{f"more than {name}": found for name, found in against.items()},
        **probability_intervals(share, said, weight, groups),
    }


def coverage(scenario, draws):
    """Return how often each interval holds the truth, of those that are defined."""
    costs, odds, rows, special = SCENARIOS[scenario]
    rng = np.random.default_rng(17)
    # The truth needs no groups, and no interval.
    everyone = figures(costs, *world(rng, odds, 300_000, **special)[:3], None)
    held = {name: [] for name in everyone}
    for _ in range(draws):
        drawn = world(rng, odds, rows, **special)
        if not 0.0 < drawn[0].mean() < 1.0:
            continue
        for name, found in figures(costs, *drawn).items():
            if not np.isnan(found.low):
                assert found.low < found.high, name
                truth = everyone[name].value
                held[name].append(found.low - 1e-9 <= truth <= found.high + 1e-9)
    return {name: np.mean(flags) for name, flags in held.items() if len(flags) > 9}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_intervals_hold(scenario):
    assert min(coverage(scenario, 25).values()) >= 0.84


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_intervals_hold_in_93_of_100_draws(scenario):
    found = coverage(scenario, 400)
    slack = 2 * np.sqrt(0.93 * 0.07 / 400)  # for the figures beside the cost
    assert found["expected_cost"] >= 0.93
    assert min(found.values()) >= 0.93 - slack, found


cells = st.lists(st.integers(0, 40), min_size=6, max_size=6).filter(any)


@given(cells)
def test_no_interval_has_a_width_of_zero_and_each_holds_its_figure(counts):
    table = np.reshape(counts, (2, 3))
    for name, found in metrics.table_intervals(table, TRIAGE).items():
        if np.isnan(found.value):
            assert np.isnan(found.low), name
        else:
            assert found.low <= found.value <= found.high, name
            assert found.low < found.high, name


def test_few_rows_without_an_error_do_not_make_an_error_impossible():
    found = metrics.decision_intervals([1, 1, -1, 1, -1], [1, 1, -1, 1, -1])
    assert found["selective_error"] == (0.0, 0.0, pytest.approx(1 - 0.025**0.2))
    assert found["negative_predictive_value"].low < 0.2
    none = metrics.decision_intervals([1, -1], [0, 0])["selective_error"]
    assert np.isnan(none).all()


@given(st.integers(0, 300), st.integers(1, 300), st.sampled_from([0.005, 0.025, 0.1]))
def test_a_mean_of_two_values_has_the_exact_limits(errors, right, tail):
    trials = errors + right
    counts = np.array([right, errors], dtype=float)
    ends = mean_limits(
        np.array([0.0, 7.0]), np.ones(2), counts, (0.0, 1.0), (7.0, 1.0), tail
    )
    exact = binomial_interval(errors, trials, tail)
    for end, wanted, sign in zip(ends, exact, (-1, 1), strict=True):
        off = sign * (end / 7 - wanted)
        assert -1e-4 <= off / (exact[1] - exact[0]) < 0.01


def test_many_rows_have_the_limits_of_the_normal_distribution():
    rng = np.random.default_rng(0)
    values, sizes = rng.random(20_000), rng.random(20_000) + 0.5
    ends = mean_limits(
        values * sizes, sizes, np.ones(20_000), (0.0, 1.0), (1.0, 1.0), 0.025
    )
    ratio = (values * sizes).sum() / sizes.sum()
    error = np.sqrt(np.sum(((values - ratio) * sizes) ** 2)) / sizes.sum()
    assert ends == pytest.approx((ratio - 1.96 * error, ratio + 1.96 * error), abs=1e-4)


def drawn(seed=0, rows=90):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.4, 1, -1)
    decided = np.where(
        rng.random(rows) < 0.2, 0, np.where(rng.random(rows) < 0.9, y, -y)
    )
    return y, decided


def test_a_group_is_one_draw():
    y, decided = drawn()
    alone = metrics.decision_intervals(y, decided, TRIAGE)
    single = metrics.decision_intervals(y, decided, TRIAGE, groups=np.arange(len(y)))
    tenfold = metrics.decision_intervals(
        np.repeat(y, 10),
        np.repeat(decided, 10),
        TRIAGE,
        groups=np.repeat(range(90), 10),
    )
    for name, found in alone.items():
        assert single[name] == pytest.approx(found, rel=0.02, abs=2e-3), name
        assert tenfold[name] == pytest.approx(found, rel=0.02, abs=2e-3), name
    blind = metrics.decision_intervals(np.repeat(y, 10), np.repeat(decided, 10), TRIAGE)
    cost = "expected_cost"
    assert blind[cost].high - blind[cost].low < 0.5 * (
        tenfold[cost].high - tenfold[cost].low
    )


def test_the_interval_of_a_cost_knows_its_scale_and_what_it_could_cost():
    y, decided = drawn()
    found = metrics.decision_intervals(y, decided, TRIAGE)["expected_cost"]
    ninefold = CostMatrix(9, 45, 5.4, 2.7)
    scaled = metrics.decision_intervals(y, decided, ninefold)["expected_cost"]
    assert scaled == pytest.approx([9 * end for end in found])
    right = np.where(y > 0, 1, -1)
    for costs, worst in ((TRIAGE, 5.0), (DEAR, 50.0)):
        perfect = metrics.decision_intervals(y, right, costs)["expected_cost"]
        assert perfect.low == perfect.value == 0.0
        assert perfect.high == pytest.approx(worst * (1 - 0.025 ** (1 / 90)), rel=0.01)


def test_order_and_names_of_rows_and_groups_change_nothing():
    y, decided = drawn(3)
    groups = np.random.default_rng(0).integers(0, 20, 90)
    order = np.random.default_rng(1).permutation(90)
    one = metrics.decision_intervals(y, decided, TRIAGE, groups=groups)
    names = np.array([f"patient {99 - group}" for group in groups])
    other = metrics.decision_intervals(
        y[order], decided[order], TRIAGE, groups=names[order]
    )
    for name, found in one.items():
        assert other[name] == pytest.approx(found, rel=1e-6), name


def test_a_doubtful_row_is_one_row():
    y, decided = drawn()
    sure = Units.of_rows((y > 0).astype(float), decided, np.ones(90))
    torn = Units.of_rows(np.full(90, 0.5), np.ones(90), np.ones(90))
    assert torn.count.sum() == sure.count.sum() == 90
    wrong = torn.intervals(TRIAGE)["error_rate"]
    assert wrong.value == 0.5
    # Each row's loss is known to be one half: only unseen rows are uncertain.
    assert 0.4 < wrong.low < 0.5 < wrong.high < 0.6


def test_a_well_calibrated_model_is_not_accused_and_a_bad_one_is():
    rng = np.random.default_rng(4)
    p = rng.random(2000)
    share, ones = (rng.random(2000) < p).astype(float), np.ones(2000)
    good = probability_intervals(share, p, ones)
    assert good["calibration_error"].low == 0.0
    assert good["brier_score"].value == metrics.brier_score(share, p)
    assert good["calibration_error"].value == pytest.approx(
        metrics.calibration_error(share, p)
    )
    assert probability_intervals(share, p**3, ones)["calibration_error"].low > 0.1
    never = probability_intervals(np.zeros(50), np.zeros(50), np.ones(50))
    assert never["calibration_error"].high > 0.05


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (["a", None, "b"], "missing in row 1"),
        ([1, 2, np.nan], "missing in row 2"),
        ([1, 2], "shape"),
    ],
)
def test_every_row_needs_its_group(groups, words):
    with pytest.raises(ValueError, match=words):
        metrics.decision_intervals([1, -1, 1], [1, 0, -1], groups=groups)
