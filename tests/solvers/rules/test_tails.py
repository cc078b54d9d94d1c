"""The bounds under every promise, beside what they bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solvers.metrics.mean_limits import binomial_interval
from solvers.rules.tails import (
    binomial_tail,
    mean_loss_tail,
    most_errors,
    rows_to_certify,
)


@given(st.integers(0, 60), st.integers(0, 40), st.floats(0.01, 0.99))
def test_tails_are_those_of_the_binomial(errors, right, rate):
    trials = errors + right
    steps = np.arange(errors + 1)
    log_choose = np.concatenate(
        ([0.0], np.cumsum(np.log((trials - steps[:-1]) / (steps[:-1] + 1))))
    )
    exact = np.exp(
        log_choose + steps * np.log(rate) + (trials - steps) * np.log1p(-rate)
    ).sum()
    assert float(binomial_tail(errors, trials, rate)) == pytest.approx(exact, rel=1e-6)


@given(st.integers(1, 200), st.data(), st.floats(0.01, 0.4))
def test_the_interval_is_where_both_tails_are_spent(trials, data, tail):
    errors = data.draw(st.integers(0, trials))
    low, high = binomial_interval(errors, trials, tail)
    assert 0.0 <= low <= errors / trials <= high <= 1.0
    if errors < trials:
        assert float(binomial_tail(errors, trials, high)) == pytest.approx(tail)
    if errors > 0:
        above = 1 - float(binomial_tail(errors - 1, trials, low))
        assert above == pytest.approx(tail)


def test_the_mean_bound_is_valid_for_coins():
    # Losses 0 and 1 with mean just above the limit: the p-value is seldom small.
    rng = np.random.default_rng(0)
    means = rng.binomial(200, 0.2, size=20_000) / 200
    doubt = mean_loss_tail(means, 200, 0.2)
    for delta in (0.01, 0.05, 0.2):
        assert np.mean(doubt <= delta) <= delta
    assert (np.diff(mean_loss_tail(np.linspace(0, 1, 50), 200, 0.2)) >= 0).all()


def test_rows_to_certify_are_the_fewest():
    assert rows_to_certify(0.0, 0.1, 0.05) == pytest.approx(29, abs=1)
    assert np.isinf(rows_to_certify(0.1, 0.1, 0.05))


@given(st.integers(0, 400), st.floats(0.01, 0.6), st.floats(0.01, 0.3))
def test_the_most_errors_that_pass_are_the_most(trials, limit, delta):
    most = int(most_errors(trials, limit, delta))
    assert most == -1 or float(binomial_tail(most, trials, limit)) <= delta
    if trials:
        assert float(binomial_tail(most + 1, trials, limit)) > delta
