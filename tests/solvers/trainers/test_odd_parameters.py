"""Constructor parameters of a wrong type: ValueError names the parameter and value."""

import numpy as np
import pytest

from solvers import (
    AbstentionBoostingClassifier,
    DoubleHingeSVC,
    HingeSVC,
    MultiHingeSVC,
    ProbabilisticLabelSVC,
    ReducedSetSVC,
)

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.where(X[:, 0] > 0.0, 1, -1)

ODD = [None, "a", [1.0], float("nan")]
KERNEL_MACHINES = [
    DoubleHingeSVC,
    HingeSVC,
    MultiHingeSVC,
    ProbabilisticLabelSVC,
    ReducedSetSVC,
]


@pytest.mark.parametrize("value", ODD, ids=str)
@pytest.mark.parametrize("name", ["gamma", "degree", "coef0", "C", "tol"])
@pytest.mark.parametrize("machine", KERNEL_MACHINES)
def test_a_kernel_machine_names_what_is_no_number(machine, name, value):
    with pytest.raises(ValueError, match=f"{name} must be"):
        machine(kernel="poly", **{name: value}).fit(X, Y)


@pytest.mark.parametrize("value", [3, 0.5, True, [1.0, 2.0]], ids=str)
@pytest.mark.parametrize("machine", KERNEL_MACHINES)
def test_class_weight_is_a_mapping_or_balanced(machine, value):
    with pytest.raises(ValueError, match="class_weight must be a mapping"):
        machine(class_weight=value).fit(X, Y)


@pytest.mark.parametrize("value", ODD, ids=str)
@pytest.mark.parametrize("name", ["cost", "beta"])
def test_boosting_names_what_is_no_number(name, value):
    with pytest.raises(ValueError, match=f"{name} must"):
        AbstentionBoostingClassifier(**{name: value}).fit(X, Y)


@pytest.mark.parametrize("value", [0.5, None, "a", [], ["x"]], ids=str)
def test_the_multi_hinge_takes_a_list_of_probabilities(value):
    with pytest.raises(ValueError, match="probabilities must"):
        MultiHingeSVC(value).fit(X, Y)
