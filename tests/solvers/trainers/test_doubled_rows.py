"""Rows in doubt, told twice: what is put together, and what an ensemble makes of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from solvers import EnsembleRejectClassifier, HingeSVC, ProbabilisticLabelSVC
from solvers.scoring import load
from solvers.trainers.doubled_rows import DoubledRowsSVC, in_doubt, put_together
from solvers.trainers.ensemble_members import automatic_members


def doubtful(n, seed=0):
    """Return rows told twice, (X, y, weight, group), and each row's probability."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    p = np.clip(np.round(1 / (1 + np.exp(-2 * X[:, 0] - X[:, 1])), 1), 0.05, 0.95)
    order = rng.permutation(2 * n)
    twice = np.r_[X, X], np.repeat([1, -1], n), np.r_[p, 1 - p], np.tile(range(n), 2)
    return tuple(part[order] for part in twice), (X, p)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from([0.0, 0.5, 1, 3])),
        min_size=1,
        max_size=30,
    )
)
def test_shares_and_weights_are_those_of_the_rows(told):
    X = np.array([[float(value)] for value, _, _ in told])
    y = np.array([1 if up else -1 for _, up, _ in told])
    weight = np.array([float(w) for _, _, w in told])
    rows, p, total = put_together(X, y, weight)
    by_value = {value: (X[:, 0] == value) for value in np.unique(X)}
    wanted = {v: weight[at].sum() for v, at in by_value.items() if weight[at].sum() > 0}
    assert dict(zip(rows[:, 0], total, strict=True)) == wanted
    for value, share in zip(rows[:, 0], p, strict=True):
        up = weight[by_value[value] & (y > 0)].sum()
        assert share == pytest.approx(up / wanted[value])


def test_it_learns_what_a_p_svm_learns_from_the_probabilities():
    (X, y, weight, _), (rows, p) = doubtful(40)
    ours = DoubledRowsSVC(gamma=0.5, tol=1e-5).fit(X, y, weight)
    theirs = ProbabilisticLabelSVC(gamma=0.5, tol=1e-5).fit(rows, p)
    new = np.random.default_rng(1).normal(size=(50, 2))
    assert np.allclose(
        ours.decision_function(new), theirs.decision_function(new), atol=1e-3
    )


def test_doubt_is_seen_in_doubled_rows_alone():
    (X, y, weight, _), (rows, p) = doubtful(60)
    assert in_doubt(X, y, weight)
    labels = np.where(p > 0.5, 1, -1)
    assert not in_doubt(rows, labels, None)
    assert not in_doubt(rows, labels, np.linspace(0.5, 1.5, len(rows)))
    assert not in_doubt(X, y, np.ones(len(y)))  # both labels, of a coarse table
    assert not in_doubt(np.r_[rows, rows], np.r_[labels, -labels], np.ones(120) * 2)


def test_the_ensemble_has_probabilistic_members_where_there_is_doubt():
    names = {name for name, _ in automatic_members(100, 2, doubt=True)}
    assert sum(name.startswith("p-svm") for name in names) == 9
    assert not any("p-svm" in name for name, _ in automatic_members(100, 2))
    (X, y, weight, group), _ = doubtful(60)
    # The first member is fitted whatever it takes, the others have a line alone.
    hasty = EnsembleRejectClassifier(budget_seconds=1e-3, cv=3)
    model = clone(hasty).fit(X, y, weight, group)
    assert {name for name in model.weights_ if name.startswith("p-svm")}
    certain = clone(hasty).fit(X, y, groups=group)
    assert not any(name.startswith("p-svm") for name in certain.weights_)


def test_such_a_member_is_stored_as_plain_data():
    (X, y, weight, group), _ = doubtful(60)
    members = [("doubt", DoubledRowsSVC(gamma=0.5)), ("svm", HingeSVC())]
    model = EnsembleRejectClassifier(members, cv=3).fit(X, y, weight, group)
    assert model.weights_["doubt"] > 0.0
    served = load(model.scorer_payload())
    assert np.array_equal(served.score(X), model.positive_score(X))
