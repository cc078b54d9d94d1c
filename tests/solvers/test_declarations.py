"""What trainers declare is what their constructors take, document and refuse."""

from functools import partial
from inspect import signature

import numpy as np
import pytest

from solvers.declarations import TRAINERS
from solvers.dual.registry import solver_names
from solvers.kernel_declarations import (
    KERNELS,
    MACHINE,
    MACHINES,
    REDUCTIONS,
    SOLVERS,
)
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from solvers.trainers.abstention_trees import AbstentionTreeBoostingClassifier
from solvers.trainers.adaboost import AdaBoostStumpClassifier
from solvers.trainers.ensemble import EnsembleRejectClassifier
from solvers.trainers.gradient_boosting import GradientBoostingRejectClassifier
from solvers.trainers.logistic import LogisticRejectClassifier
from solvers.trainers.multi_hinge import MultiHingeSVC
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier
from solvers.trainers.reduced_set import ReducedSetSVC
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC

CLASSES = {
    "abstention-boosting": AbstentionBoostingClassifier,
    "abstention-trees": AbstentionTreeBoostingClassifier,
    "adaboost": AdaBoostStumpClassifier,
    "gradient-boosting": GradientBoostingRejectClassifier,
    "logistic": LogisticRejectClassifier,
    "extra-trees": RandomisedTreesRejectClassifier,
    "forest": RandomisedTreesRejectClassifier,
    "auto": EnsembleRejectClassifier,
    "double-hinge-svm": DoubleHingeSVC,
    "svm": HingeSVC,
    "multi-hinge-svm": MultiHingeSVC,
    "p-svm": ProbabilisticLabelSVC,
    **{method: partial(ReducedSetSVC, method) for method in REDUCTIONS},
}
DECLARED = [
    *((kind, p) for kind, one in TRAINERS.items() for p in one.parameters),
    # What all machines share is held against two of them.
    *((kind, p) for kind in ("svm", "p-svm") for p in MACHINE),
    *((kind, p) for kind in ("svm", "p-svm") for p in KERNELS["polynomial"][1]),
    *((kind, p) for kind, own in MACHINES.items() for p in own),
    *((kind, p) for kind, (_, own) in REDUCTIONS.items() for p in own),
]
NAMES = [f"{kind} {p.name}" for kind, p in DECLARED]


def test_every_declared_trainer_is_here():
    assert CLASSES.keys() == {*TRAINERS, *MACHINES, *REDUCTIONS}


def test_the_solvers_that_are_named_are_there():
    assert ("auto", *solver_names()) == SOLVERS


@pytest.mark.parametrize(("kind", "declared"), DECLARED, ids=NAMES)
def test_the_constructor_has_the_declared_name_and_default(kind, declared):
    taken = signature(CLASSES[kind]).parameters[declared.name]
    assert taken.default == declared.default
    assert taken.annotation is not taken.empty
    documented = getattr(CLASSES[kind], "func", CLASSES[kind]).__doc__
    assert f"    {declared.name} : " in documented


@pytest.mark.parametrize(("kind", "declared"), DECLARED, ids=NAMES)
def test_the_declared_default_and_what_is_offered_are_taken(kind, declared):
    if not declared.required:
        declared.check(declared.default)
    for value in (*declared.beside, *(declared.offered or ()), *declared.choices):
        declared.check(value)


def outside(declared):
    """Values that are none of a parameter."""
    if declared.kind == "flag":
        return ["nonesuch", 2]
    found = ["nonesuch"]
    if declared.kind == "choice":
        return found
    found += [float("nan"), float("inf"), True, [1.0]]
    found += [0.5] if declared.kind == "integer" else []
    least, most = declared.minimum, declared.maximum
    found += [] if least is None else [least if declared.open_below else least - 1]
    found += [] if most is None else [most if declared.open_above else most + 1]
    return [value for value in found if value not in declared.beside]


@pytest.mark.parametrize(
    ("kind", "declared", "value"),
    [(kind, p, value) for kind, p in DECLARED for value in outside(p)],
)
def test_what_is_not_declared_is_refused_by_its_name(kind, declared, value):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    stops = "early_stopping" in signature(CLASSES[kind]).parameters
    chosen = ({"early_stopping": True} if stops else {}) | {declared.name: value}
    with pytest.raises(ValueError, match=declared.name):
        CLASSES[kind](**chosen).fit(X, y)
