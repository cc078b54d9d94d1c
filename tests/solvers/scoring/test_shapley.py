"""Shapley values by their definition: every subset of the columns, one by one."""

import subprocess
import warnings
from itertools import combinations
from math import factorial
from pathlib import Path

import joblib
import numpy as np
import pytest

from solvers import (
    AbstentionTreeBoostingClassifier,
    DoubleHingeSVC,
    GradientBoostingRejectClassifier,
    HingeSVC,
)
from solvers.scoring import load
from solvers.scoring.shapley import Shapley
from solvers.trainers.randomised_trees import RandomisedTreesRejectClassifier

ROOT = Path(__file__).parents[3]
SHAP = ROOT / ".venv-clients/bin/python"
COLUMNS = np.array([0, 1, 2, 2, 3, 1, 4])
"""Encoded columns 2 and 3 are of one column, and so are 1 and 5."""


def drawn(n=150, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, len(COLUMNS)))
    y = np.where(X[:, 0] * X[:, 2] + X[:, 1] + 0.4 * draw.normal(size=n) > 0, 1, -1)
    return X, y


def by_definition(score, x, b, columns):
    k = columns.max() + 1
    terms = np.zeros(k)
    for c in range(k):
        others = [e for e in range(k) if e != c]
        for size in range(k):
            share = factorial(size) * factorial(k - size - 1) / factorial(k)
            for chosen in combinations(others, size):
                without = np.where(np.isin(columns, chosen), x, b)
                with_it = np.where(columns == c, x, without)
                values = score(np.array([with_it, without]))
                terms[c] += share * (values[0] - values[1])
    return terms


MACHINES = {
    "rbf": lambda: HingeSVC(C=2.0, gamma=0.2),
    "linear": lambda: DoubleHingeSVC(kernel="linear"),
    "polynomial": lambda: HingeSVC(kernel="poly", degree=3, coef0=1.0),
    "sigmoid": lambda: HingeSVC(kernel="sigmoid", gamma=0.05, max_iter=500),
    "gradient boosting": lambda: GradientBoostingRejectClassifier(n_rounds=20),
    "forest": lambda: RandomisedTreesRejectClassifier(n_trees=20, trees="forest"),
    "abstention trees": lambda: AbstentionTreeBoostingClassifier(n_rounds=20),
}


def fitted(name):
    X, y = drawn()
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        return load(MACHINES[name]().fit(X, y).scorer_payload())


@pytest.fixture(scope="module", params=MACHINES)
def scorer(request):
    return fitted(request.param)


def test_terms_are_the_sum_over_all_subsets(scorer):
    X, _ = drawn(4, seed=7)
    b = X[3]
    told = Shapley(scorer, b, COLUMNS).terms(X[:3])
    assert told.exact
    for x, terms in zip(X[:3], told.h, strict=True):
        wanted = by_definition(scorer.score, x, b, COLUMNS)
        np.testing.assert_allclose(terms, wanted, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(told.h.sum(axis=1) + told.base[0], scorer.score(X[:3]))
    if told.r is not None:
        for x, terms in zip(X[:3], told.r, strict=True):
            wanted = by_definition(scorer.reject_scores, x, b, COLUMNS)
            np.testing.assert_allclose(terms, wanted, rtol=1e-9, atol=1e-11)


@pytest.mark.thorough
@pytest.mark.skipif(not SHAP.exists(), reason="shap is not there: make clients")
def test_terms_are_those_of_shap(tmp_path):
    X, _ = drawn(4, seed=9)
    scorers = [fitted(name) for name in MACHINES]
    asked, found = tmp_path / "asked.joblib", tmp_path / "told.npy"
    joblib.dump(([scorer.payload() for scorer in scorers], X[:3], X[3]), asked)
    script = Path(__file__).with_name("shap_values.py")
    subprocess.run(
        [SHAP, script, asked, found], check=True, env={"PYTHONPATH": str(ROOT)}
    )
    for scorer, theirs in zip(scorers, np.load(found), strict=True):
        told = Shapley(scorer, X[3], np.arange(len(COLUMNS))).terms(X[:3])
        np.testing.assert_allclose(told.h, theirs, rtol=1e-6, atol=1e-9)


def test_a_column_that_is_the_references_adds_nothing(scorer):
    X, _ = drawn(2, seed=8)
    x, b = X
    x[COLUMNS == 2] = b[COLUMNS == 2]
    told = Shapley(scorer, b, COLUMNS).terms(np.array([x, b]))
    assert told.h[0, 2] == 0.0
    assert (told.h[1] == 0.0).all()


def test_many_columns_are_drawn_and_still_add_up():
    draw = np.random.default_rng(3)
    X = draw.normal(size=(200, 16))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] > 0, 1, -1)
    model = RandomisedTreesRejectClassifier(n_trees=30).fit(X, y)
    scorer, columns = load(model.scorer_payload()), np.arange(16)
    told = Shapley(scorer, X[5], columns).terms(X[:5])
    assert not told.exact
    np.testing.assert_allclose(told.h.sum(axis=1) + told.base[0], scorer.score(X[:5]))
    alone = Shapley(scorer, X[5], columns).terms(X[2:3])
    np.testing.assert_array_equal(alone.h[0], told.h[2])


def test_drawn_orders_are_near_the_sum_over_all_subsets(monkeypatch):
    X, y = drawn()
    model = RandomisedTreesRejectClassifier(n_trees=30).fit(X, y)
    scorer = load(model.scorer_payload())
    exact = Shapley(scorer, X[9], COLUMNS).terms(X[:8])
    monkeypatch.setattr("solvers.scoring.shapley.MOST_COUNTED", 2)
    near = Shapley(scorer, X[9], COLUMNS).terms(X[:8])
    assert not near.exact
    errors = np.abs(near.h - exact.h)
    assert np.sqrt((errors**2).mean()) < 0.1 * np.abs(exact.h).mean()
    assert errors.max() < 0.2 * np.abs(exact.h).max()


def test_missing_values_and_categories_go_down_the_trees():
    draw = np.random.default_rng(5)
    X = np.column_stack((draw.normal(size=(300, 2)), draw.integers(0, 6, 300)))
    X[draw.random(300) < 0.2, 0] = np.nan
    y = np.where((X[:, 2] % 2 == 0) ^ (np.nan_to_num(X[:, 0]) > 0.3), 1, -1)
    model = GradientBoostingRejectClassifier(n_rounds=30, categorical_features=[2])
    scorer = load(model.fit(X, y).scorer_payload())
    assert len(scorer.categories) == 1
    told = Shapley(scorer, X[25], np.arange(3)).terms(X[:20])
    for x, terms in zip(X[:20], told.h, strict=True):
        wanted = by_definition(scorer.score, x, X[25], np.arange(3))
        np.testing.assert_allclose(terms, wanted, rtol=1e-9, atol=1e-11)


def test_a_product_of_many_factors_is_summed_exactly():
    """Of 12 columns, where the polynomial of Owen's integral has degree 11."""
    draw = np.random.default_rng(6)
    X = draw.normal(size=(60, 12))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] > 0, 1, -1)
    scorer = load(HingeSVC(gamma=0.05).fit(X, y).scorer_payload())
    told = Shapley(scorer, X[1], np.arange(12)).terms(X[:1])
    wanted = by_definition(scorer.score, X[0], X[1], np.arange(12))
    np.testing.assert_allclose(told.h[0], wanted, rtol=1e-9, atol=1e-12)
