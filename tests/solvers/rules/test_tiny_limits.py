"""A limit next to zero is answered (infeasible), not searched for ever."""

import numpy as np
import pytest

from solvers.rules.bounded_error import BoundedErrorRule


@pytest.mark.timeout(20)
@pytest.mark.parametrize("by", ["all", "decision", "label"])
@pytest.mark.parametrize("limit", [5e-324, 1e-300, 1e-12])
def test_a_tiny_limit_gets_its_answer(by, limit):
    scores = np.linspace(-1, 1, 40)
    rule = BoundedErrorRule(max_error=limit, by=by).fit(scores, np.sign(scores))
    facts = rule.facts()
    assert not facts["feasible"]
    assert facts["smallest_max_error"] is None or facts["smallest_max_error"] > limit
