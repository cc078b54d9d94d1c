"""Parameters of a rule that are no numbers: ValueError names parameter and value."""

import numpy as np
import pytest

from solvers import rules

SCORES, Y = np.array([0.1, 0.2, 0.3, 0.4]), np.array([-1, 1, -1, 1])

NUMBERS = [
    (rules.PlugInRule, {}, "slope"),
    (rules.BartlettWegkampRule, {}, "delta"),
    (rules.ChowRule, {}, "reject_threshold"),
    (rules.BoundedAbstentionRule, {}, "max_reject_rate"),
    (rules.BoundedAbstentionRule, {"cases_per_day": 9}, "reviews_per_day"),
    (rules.BoundedAbstentionRule, {"reviews_per_day": 1}, "cases_per_day"),
    (rules.BoundedErrorRule, {}, "max_error"),
    (rules.BoundedErrorRule, {"max_error": 0.1}, "confidence"),
    (rules.BoundedCostRule, {}, "max_cost"),
    (rules.BoundedCostRule, {"max_cost": 0.1}, "confidence"),
    (rules.BoundedCostRule, {"max_cost": 0.1}, "largest_cost"),
]


@pytest.mark.parametrize("value", ["a", [0.1], True, float("nan"), 1j], ids=str)
@pytest.mark.parametrize(
    ("rule", "others", "name"), NUMBERS, ids=[f"{r.kind} {n}" for r, _, n in NUMBERS]
)
def test_what_is_no_number_is_refused_by_name(rule, others, name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        rule(**others, **{name: value}).fit(SCORES, Y)
