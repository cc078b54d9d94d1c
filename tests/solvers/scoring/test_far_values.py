"""Numbers at the end of the doubles: every scorer answers, and no warning is raised."""

import numpy as np
import pytest

from solvers.scoring import load
from solvers.trainers.abstention_boosting import AbstentionBoostingClassifier
from solvers.trainers.abstention_trees import AbstentionTreeBoostingClassifier
from solvers.trainers.adaboost import AdaBoostStumpClassifier
from solvers.trainers.gradient_boosting import GradientBoostingRejectClassifier
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier
from solvers.trainers.svm import HingeSVC

FAR = [1e308, -1e308, np.finfo(float).max, 1e200, -1e155, 1e18, 300.0, -1.0, np.nan]
MACHINES = {
    "linear": HingeSVC(kernel="linear"),
    "rbf": HingeSVC(),
    "cubic": HingeSVC(kernel="polynomial"),
    "of degree 20": HingeSVC(kernel="polynomial", degree=20),
    "sigmoid": HingeSVC(kernel="sigmoid", gamma=0.01),
    "with a link": ProbabilisticLabelSVC(),
    "stumps": AbstentionBoostingClassifier(n_rounds=10),
    "adaboost": AdaBoostStumpClassifier(n_rounds=10),
    "trees": AbstentionTreeBoostingClassifier(n_rounds=10),
    "random trees": RandomisedTreesRejectClassifier(n_trees=10),
    "boosted": GradientBoostingRejectClassifier(
        n_rounds=10, categorical_features=[2], min_samples_leaf=1
    ),
}


@pytest.fixture(scope="module", params=MACHINES)
def scorer(request):
    draw = np.random.default_rng(0)
    X = np.column_stack([draw.normal(size=(120, 2)), np.arange(120) % 4])
    y = np.where(X[:, 0] + (X[:, 2] == 2) > 0.3, 1, -1)
    return load(MACHINES[request.param].fit(X, y).scorer_payload())


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("n", [1, 3, 300])
def test_a_row_far_away_is_scored_without_a_warning(scorer, far, n):
    if np.isnan(far) and not scorer.missing:
        return
    alone = np.full((1, 3), 0.5)
    near = scorer.score(alone)
    for columns in ([0], [2], [0, 1, 2]):
        X = np.full((n, 3), 0.5)
        X[0, columns] = far
        told = scorer.outputs(X)
        scorer.probability(X)
        np.testing.assert_array_equal(told.score[1:], np.repeat(near, n - 1))
        if hasattr(scorer, "explain"):
            scorer.explain(X)


def test_far_from_every_support_vector_an_rbf_machine_says_its_intercept():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 3))
    machine = HingeSVC().fit(X, np.where(X[:, 0] > 0, 1, -1))
    far = np.array([[1e308, -1e308, 1e308], [1e160, 0.0, 0.0], [1e30, 1e30, 1e30]])
    np.testing.assert_array_equal(
        machine.decision_function(far), np.repeat(machine.intercept_, 3)
    )
