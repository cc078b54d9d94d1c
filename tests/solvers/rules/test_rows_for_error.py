"""The rows that a promise takes, against counting every number of rows."""

import numpy as np
import pytest
from scipy.stats import binom

from solvers.rules.rows_for_error import rows_for_error


def chances(limit, rate, delta, most=1500):
    """Return the chance to pass on 1 to ``most`` rows, from the distribution."""
    rows = np.arange(1, most + 1)
    allowed = binom.ppf(delta, rows, limit)
    allowed = np.where(binom.cdf(allowed, rows, limit) > delta, allowed - 1, allowed)
    return np.where(allowed < 0, 0.0, binom.cdf(allowed, rows, rate))


@pytest.mark.parametrize("limit", [0.02, 0.05, 0.1, 0.3])
@pytest.mark.parametrize("part", [0.0, 0.2, 0.5, 0.7])
@pytest.mark.parametrize("chance", [0.05, 0.5, 0.95])
def test_the_fewest_rows_are_found(limit, part, chance):
    passes = chances(limit, part * limit, 0.05) >= chance
    found = rows_for_error(limit, part * limit, 0.95, chance)
    if passes.any():
        assert found == 1 + int(np.argmax(passes))
    else:
        assert found is None or found > len(passes)


def test_without_errors_it_is_the_rule_of_three():
    assert rows_for_error(0.05, 0.0, 0.95, 0.5) == 59  # 0.95^59 < 0.05 < 0.95^58


def test_a_rate_beside_the_limit_takes_many_rows_or_none():
    many = rows_for_error(0.05, 0.048, 0.95)
    assert 20_000 < many < 60_000
    assert rows_for_error(0.05, 0.05 - 1e-6, 0.95) is None
    assert rows_for_error(1e-300, 0.0) is None
    assert rows_for_error(0.999999, 0.0, 1 - 1e-11) == 2


@pytest.mark.parametrize(
    "given",
    [(0.0, 0.0), (1.0, 0.1), (0.05, 0.05), (0.05, -0.1), (0.05, 0.01, 1.0)],
)
def test_what_cannot_be_promised_is_refused(given):
    with pytest.raises(ValueError, match="must lie"):
        rows_for_error(*given)
