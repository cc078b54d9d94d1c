"""Two figures differ where the interval of their difference leaves out zero."""

import numpy as np

from app.evaluate.comparison import compare
from solvers import metrics


def figures(errors, rows):
    found = metrics.table_intervals([[rows - errors, errors, 0], [0, 0, 0]])
    rate = found["error_rate"]
    return {"error_rate": rate.value, "intervals": {"error_rate": list(rate[1:])}}


def test_figures_of_one_world_differ_in_about_one_of_twenty_draws():
    rng = np.random.default_rng(0)
    draws = rng.binomial((120, 168), 0.15, size=(300, 2))
    differ = [
        compare(figures(then, 120), figures(now, 168))["error_rate"].differs
        for then, now in draws
    ]
    assert np.mean(differ) <= 0.06
    assert compare(figures(18, 120), figures(67, 168))["error_rate"].differs is True


def test_what_is_not_known_is_not_compared():
    now = figures(10, 100)
    assert compare({}, now)["error_rate"].differs is None
    assert compare(figures(10, 100), {"error_rate": 0.1})["error_rate"].differs is None
    # An earlier release kept the figure alone.
    assert compare({"error_rate": 0.1}, now)["error_rate"].differs is False
    assert compare({"error_rate": 0.5}, now)["error_rate"].differs is True
