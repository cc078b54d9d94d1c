"""A rule given to a machine as an instance decides at the machine's costs."""

import numpy as np
import pytest

from solvers import CostMatrix, DoubleHingeSVC, ProbabilisticLabelSVC
from solvers.rules import BartlettWegkampRule, PlugInRule

X = np.random.default_rng(0).normal(size=(60, 2))
Y = np.where(X[:, 0] > 0.0, 1, -1)


@pytest.mark.parametrize("reject", [0.05, 0.1, 0.4])
@pytest.mark.parametrize("rule", [PlugInRule, BartlettWegkampRule])
def test_a_rule_without_costs_takes_the_machines(rule, reject):
    costs = CostMatrix(1, 1, reject, reject)

    instance = DoubleHingeSVC(costs=costs, rule=rule()).fit(X, Y)
    named = DoubleHingeSVC(costs=costs, rule=rule.kind).fit(X, Y)

    assert instance.rule_.fitted == named.rule_.fitted
    assert instance.rule.costs is None  # the caller's rule is left alone


def test_its_other_parameters_and_its_own_costs_are_kept():
    costs, own = CostMatrix(1, 1, 0.1, 0.1), CostMatrix(1, 1, 0.3, 0.3)

    wide = DoubleHingeSVC(costs=costs, rule=BartlettWegkampRule(delta=1.0)).fit(X, Y)
    other = DoubleHingeSVC(costs=costs, rule=PlugInRule(own)).fit(X, Y)

    assert wide.rule_.upper_ == BartlettWegkampRule(costs, delta=1.0).fit().upper_
    assert other.rule_.upper_ == own.thresholds[1]


@pytest.mark.parametrize(
    "weight", [None, np.r_[np.zeros(5), np.ones(55)]], ids=["", "0"]
)
def test_a_kernel_matrix_that_is_not_square_is_refused(weight):
    for machine in (ProbabilisticLabelSVC, DoubleHingeSVC):
        with pytest.raises(ValueError, match="must be square"):
            machine(kernel="precomputed").fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("field", ["fp", "false_positve"])
def test_a_field_that_costs_do_not_have_is_named(field):
    with pytest.raises(ValueError, match=f"costs have no field '{field}'"):
        PlugInRule({field: 1.0}).fit()
