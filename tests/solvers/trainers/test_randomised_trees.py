"""Random trees: the peer's means as plain arrays, the same alone and in a crowd."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import RandomisedTreesRejectClassifier
from solvers.errors import Interrupted
from solvers.scoring import load

PEERS = {"extra-trees": ExtraTreesClassifier, "forest": RandomForestClassifier}
KINDS = sorted(PEERS)


@parametrize_with_checks(
    [RandomisedTreesRejectClassifier(trees=kind, n_trees=3) for kind in KINDS],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": "a leaf is counted in rows,"
        " and a forest draws rows, whatever their weight"
    },
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def draw(n, seed=0, missing=0.1):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    odds = 2 * X[:, 0] - (X[:, 1] > 0.3) * 2 + X[:, 2] * X[:, 3]
    y = np.where(random.random(n) < 1 / (1 + np.exp(-odds)), 1, -1)
    X[random.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_mean_is_the_peers_to_the_bit_where_it_is_one(kind, weighted):
    X, y = draw(400)
    weight = np.random.default_rng(1).uniform(0.5, 2, 400) if weighted else None
    ours = RandomisedTreesRejectClassifier(trees=kind, n_trees=30).fit(X, y, weight)
    peer = PEERS[kind](30, min_samples_leaf=2, random_state=0).fit(X, y, weight)
    T, _ = draw(1000, 3)
    p = peer.predict_proba(T)[:, 1]
    told = np.log(30 * p + 0.5) - np.log(30 - 30 * p + 0.5)
    np.testing.assert_allclose(ours.positive_score(T), told, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(np.argsort(ours.predict_proba(T)[0]), [0, 1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [None, 3])
def test_a_row_has_the_same_bits_alone_in_a_crowd_and_stored(kind, depth):
    model = RandomisedTreesRejectClassifier(trees=kind, n_trees=20, max_depth=depth)
    served = load(model.fit(*draw(1500)).scorer_payload())
    T, _ = draw(700, 5)
    T[0] = 1e300  # beyond single precision
    whole = served.score(T)
    np.testing.assert_array_equal(whole, model.positive_score(T))
    alone = [served.score(T[i : i + 1])[0] for i in range(0, 700, 13)]
    np.testing.assert_array_equal(whole[::13], alone)
    np.testing.assert_array_equal(served.score(T[100:]), whole[100:])
    assert np.isfinite(whole).all()


def test_labels_of_any_name_and_either_side_are_learnt_alike():
    X, y = draw(300)
    model = RandomisedTreesRejectClassifier(n_trees=10)
    turned = RandomisedTreesRejectClassifier(n_trees=10, pos_label="a")
    turned.fit(X, np.where(y > 0, "a", "b"))
    np.testing.assert_array_equal(
        turned.positive_score(X), model.fit(X, y).positive_score(X)
    )


def test_it_stops_when_told_to():
    model = RandomisedTreesRejectClassifier(n_trees=100)
    told = []

    def twice(fraction, message):
        told.append((fraction, message))
        return len(told) < 3

    model._progress = twice
    with pytest.raises(Interrupted):
        model.fit(*draw(100))
    assert told[:2] == [(0.0, "tree 1 of 100"), (0.25, "tree 26 of 100")]
    assert len(told) == 3


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"trees": "oaks"}, "extra-trees, forest"),
        ({"n_trees": 0}, "n_trees"),
        ({"min_samples_leaf": 0.5}, "min_samples_leaf"),
        ({"max_depth": -1}, "max_depth"),
        ({"max_features": 0.0}, "max_features"),
        ({"max_features": 1.5}, "max_features"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, said):
    with pytest.raises(ValueError, match=said):
        RandomisedTreesRejectClassifier(**parameters).fit(*draw(30))
