"""The parts of features in trees: exact sums, and the features that matter."""

import numpy as np
import pytest

from solvers.boosting.tree_importance import measured_rows, tree_importance
from solvers.costs import CostMatrix
from solvers.scoring import load
from solvers.trainers.abstention_trees import AbstentionTreeBoostingClassifier
from solvers.trainers.gradient_boosting import GradientBoostingRejectClassifier


def table(n=600):
    """Column 0 tells the class, column 1 where nobody can tell it, 2 nothing."""
    draw = np.random.default_rng(5)
    X = draw.normal(size=(n, 4))
    X[:, 3] = draw.integers(4, size=n) * 2.0
    told = np.where(X[:, 1] > 0, draw.normal(size=n), X[:, 0])
    X[draw.random(n) < 0.1, 0] = np.nan
    return X, np.where(told > 0, 1, -1)


def test_the_causes_of_rejection_are_found():
    X, y = table()
    model = AbstentionTreeBoostingClassifier(costs=CostMatrix(1, 1, 0.2, 0.2))
    told = model.fit(X, y).importance_
    assert set(told) == {"h", "r", "rejected"}
    assert told["h"][:2].min() > 10 * told["h"][2:].max()
    assert np.argmax(told["r"]) == np.argmax(told["rejected"]) == 1
    assert told["rejected"][1] > 0
    assert told["rejected"][2] < told["rejected"][1] / 4


def test_categories_and_missing_values_count():
    X, y = table()
    y = np.where(X[:, 3] == 2.0, y, np.where(X[:, 3] == 4.0, 1, -1))
    model = GradientBoostingRejectClassifier(n_rounds=40, categorical_features=[3])
    told = model.fit(X, y).importance_
    assert set(told) == {"h"}
    assert np.argmax(told["h"]) == 3
    assert (told["h"] >= 0).all()


def test_parts_of_stumps_are_their_own_steps():
    """With one feature a tree, c_f is what its trees add, less its mean."""
    X, y = table()
    model = AbstentionTreeBoostingClassifier(n_rounds=25, max_depth=1).fit(X, y)
    payload = model.scorer_payload()
    weight = np.ones(len(X))
    h, r = load(payload).pair(X)
    told = tree_importance(payload["trees"], X, weight, r)
    feature = np.asarray(payload["trees"]["feature"])
    roots = np.asarray(payload["trees"]["roots"])
    total_h, total_r = np.zeros(len(X)), np.zeros(len(X))
    for f in range(4):
        mine = roots[(feature[roots] == f) & (payload["trees"]["left"][roots] >= 0)]
        alone = {**payload, "trees": {**payload["trees"], "roots": mine}}
        to_h, to_r = load(alone).pair(X) if len(mine) else (weight * 0, weight * 0)
        to_h, to_r = to_h - to_h.mean(), to_r - to_r.mean()
        assert told["h"][f] == pytest.approx(np.abs(to_h).mean(), abs=1e-12)
        assert told["r"][f] == pytest.approx(np.abs(to_r).mean(), abs=1e-12)
        pushed = -to_r[r <= 0].mean() if (r <= 0).any() else 0.0
        assert told["rejected"][f] == pytest.approx(pushed, abs=1e-12)
        total_h += to_h
        total_r += to_r
    np.testing.assert_allclose(total_h, h - h.mean(), atol=1e-12)
    np.testing.assert_allclose(total_r, r - r.mean(), atol=1e-12)


@pytest.mark.parametrize("n_trees", [0, 500, 100_000])
def test_measured_rows_are_bounded(n_trees):
    few, many = measured_rows(300, n_trees), measured_rows(1_000_000, n_trees)
    assert len(few) == (100 if n_trees > 500 else 300)
    assert len(many) == len(np.unique(many)) <= 2_000
    assert many[0] == 0
    assert many[-1] == 999_999
