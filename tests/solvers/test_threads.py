"""Work in parts: all of it, each part once, and the same bits whatever the threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy import sparse

from solvers import (
    AbstentionBoostingClassifier,
    AdaBoostStumpClassifier,
    DoubleHingeSVC,
    EnsembleRejectClassifier,
    GradientBoostingRejectClassifier,
    HingeSVC,
    LogisticRejectClassifier,
    RejectOptionClassifier,
)
from solvers.threads import Team, each_fold, even, jobs, using


def table(n, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns))
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0, 1, -1)


@given(st.integers(0, 400), st.integers(1, 9), st.integers(1, 20))
def test_even_parts_cover_everything_once_with_bounds_at_multiples(n, parts, multiple):
    found = even(n, parts, multiple)
    assert [k for start, stop in found for k in range(start, stop)] == list(range(n))
    assert len(found) <= parts
    assert all(start % multiple == 0 for start, _ in found)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_team_does_every_part_once_in_order(size):
    assert Team(size).each(lambda k: k * k, range(7)) == [k * k for k in range(7)]


def test_a_team_works_at_the_same_time():
    meeting = threading.Barrier(2, timeout=60)
    assert sorted(Team(2).each(lambda _: meeting.wait(), range(2))) == [0, 1]


@pytest.mark.parametrize("bad", range(4))
def test_a_failure_is_raised_after_all_threads_have_ended(bad):
    done = []

    def work(part):
        if part == bad:
            msg = f"part {part}"
            raise ValueError(msg)
        done.append(part)

    with pytest.raises(ValueError, match=f"part {bad}"):
        Team(2).each(work, range(4))
    # Parts 0 and 2 are one thread's, 1 and 3 the other's: each stops at its failure.
    lost = {bad, bad + 2} & set(range(4))
    assert set(done) == set(range(4)) - lost


def test_threads_are_granted_by_the_caller_or_by_joblib_and_never_twice():
    assert jobs(None) == Team().size == 1
    with using(3):
        assert Team().size == 3
        inner = each_fold(lambda *_: Team().size, [(0, 0)] * 4, None)
        assert inner == [1] * 4
    with parallel_config("threading", n_jobs=2), using(None):
        assert Team().size == 2


def fitted(model, X, y, n_jobs, **given):
    with using(n_jobs):
        return model.fit(X, y, **given)


@pytest.mark.parametrize(
    ("machine", "n"),
    [
        (HingeSVC(solver="decomposition"), 4500),
        (HingeSVC(C=30.0, solver="decomposition", cache_size=20), 4500),
        (DoubleHingeSVC(solver="decomposition"), 4500),
        (HingeSVC(kernel="linear", solver="decomposition"), 4500),
        # Rows in float64, of which there is one part.
        (HingeSVC(C=1e5, solver="decomposition", max_iter=3000), 2600),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_kernel_machines_have_the_same_bits(machine, n):
    X, y = table(n)
    one = fitted(machine, X, y, 1)
    weights, bias, steps = one.dual_coef_.copy(), one.intercept_, one.n_iter_
    three = fitted(machine, X, y, 3)
    assert np.array_equal(weights, three.dual_coef_)
    assert np.array_equal(bias, three.intercept_)
    assert steps == three.n_iter_


def test_sparse_rows_have_the_same_bits():
    X, y = table(4500, 60)
    X = sparse.csr_matrix(np.where(X > 1.0, X, 0.0))
    machine = HingeSVC(gamma=0.1, solver="decomposition")
    one = fitted(machine, X, y, 1).dual_coef_.copy()
    assert np.array_equal(one, fitted(machine, X, y, 2).dual_coef_)


@pytest.mark.parametrize("columns", [7, 8])
@pytest.mark.parametrize(
    "booster",
    [
        AdaBoostStumpClassifier(n_rounds=10, max_bins=255),
        AbstentionBoostingClassifier(n_rounds=5, max_bins=255, early_stopping=False),
    ],
)
def test_boosters_have_the_same_bits(booster, columns):
    X, y = table(150_000, columns)
    one = fitted(booster, X, y, 1)
    stumps, weights = one.stumps_, one.weights_.copy()
    three = fitted(booster, X, y, 3)
    assert stumps == three.stumps_
    assert np.array_equal(weights, three.weights_)


@pytest.mark.parametrize(
    "estimator",
    [HingeSVC(), LogisticRejectClassifier(), GradientBoostingRejectClassifier()],
)
def test_folds_have_the_same_bits(estimator):
    X, y = table(600)
    one = RejectOptionClassifier(estimator, "chow").fit(X, y)
    two = RejectOptionClassifier(estimator, "chow", n_jobs=2).fit(X, y)
    assert np.array_equal(one.oof_scores_, two.oof_scores_)
    assert np.array_equal(one.positive_score(X), two.positive_score(X))


def test_an_ensemble_has_the_same_bits():
    X, y = table(300)
    members = [
        ("logistic", LogisticRejectClassifier()),
        ("narrow", HingeSVC(gamma=0.5)),
        ("narrow, C=10", HingeSVC(10.0, gamma=0.5)),
        ("trees", GradientBoostingRejectClassifier()),
    ]
    one = EnsembleRejectClassifier(members, budget_seconds=1e6).fit(X, y)
    two = EnsembleRejectClassifier(members, budget_seconds=1e6, n_jobs=2).fit(X, y)
    assert one.weights_ == two.weights_
    assert np.array_equal(one.oof_scores_, two.oof_scores_)
    assert np.array_equal(one.probability(X), two.probability(X))
