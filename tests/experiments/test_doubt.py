"""Targets in doubt: the measures are least at the truth, the table pairs by world."""

import numpy as np
import pytest

from experiments import doubt


def test_truth_has_no_divergence_and_the_least_cost():
    rng = np.random.default_rng(0)
    _, p = doubt._world(rng, 500)
    assert doubt._divergence(p, p) == pytest.approx(0.0, abs=1e-3)
    for shift in (-1.0, 1.0):
        q = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + shift)))
        assert doubt._divergence(q, p) > 0.05
        assert doubt._cost(q, p) > doubt._cost(p, p)


def test_differences_are_paired_by_world(tmp_path):
    found = [
        {"task": {"seed": k}, doubt.AUTO: [0.1 + k, 0.3], "other": [0.2 + k, 0.2 + k]}
        for k in range(2)
    ]
    section = doubt.section(found, tmp_path)
    lines = {line.names: line for table in section.tables for line in table.lines}
    told = lines["other", "divergence, minus auto's"]
    assert told.ours == pytest.approx(0.1)
    assert told.error == pytest.approx(0.0)
    cost = lines["other", f"cost {doubt.UNEQUAL}, minus auto's"]
    assert (cost.ours, cost.error) == (pytest.approx(0.4), pytest.approx(0.5))
