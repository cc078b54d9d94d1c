"""What a reduction may cost in accuracy, and when it is taken back."""

import numpy as np
import pytest

from solvers.trainers.reduced_set import ReducedSetSVC
from solvers.trainers.svm import HingeSVC
from tests.solvers.trainers.noisy_rows import noisy, reduced


def with_an_island(rows=300, seed=0):
    """Return two classes, the second with a fifth of its rows behind the first."""
    rng = np.random.default_rng(seed)
    y = np.arange(rows) % 2
    centre = np.where(y == 1, 1.5, -1.5)
    centre[(y == 1) & (np.arange(rows) % 10 == 1)] = -3.2
    return centre[:, None] + 0.4 * rng.normal(size=(rows, 2)), y


def test_a_loss_of_accuracy_beyond_the_bound_brings_the_unreduced_machine_back():
    X, y = with_an_island()
    # A first stage that is nearly linear takes the island for errors.
    harmful = {"method": "sca", "first_stage": {"gamma": 1e-3}, "gamma": 0.3}
    free = ReducedSetSVC(**harmful).fit(X, y)
    table = free.compare(*with_an_island(1000, seed=5))
    assert table["before"]["accuracy"] - table["after"]["accuracy"] > 0.05
    bounded = ReducedSetSVC(**harmful, max_accuracy_loss=0.02).fit(X, y)
    report = bounded.report_
    assert not report["reduced"]
    assert "max_accuracy_loss=0.02" in report["fallback"]
    assert "60 validation rows" in report["fallback"]
    assert report["validation"]["rows"] == 60
    plain = HingeSVC(gamma=0.3).fit(X, y)
    np.testing.assert_array_equal(bounded.support_, plain.support_)
    np.testing.assert_allclose(
        bounded.decision_function(X), plain.decision_function(X), atol=1e-12
    )


def test_a_reduction_within_the_bound_stands_and_is_fitted_on_all_rows():
    X, y = noisy()
    bounded = reduced("sca", max_accuracy_loss=0.2).fit(X, y)
    assert bounded.report_["reduced"]
    free = reduced("sca").fit(X, y)
    np.testing.assert_array_equal(bounded.support_, free.support_)


@pytest.mark.parametrize("method", ["m1rs", "ssca"])
def test_one_class_left_keeps_the_unreduced_machine(method):
    X, y = noisy(60)
    X[y == 1] = X[y == 0]
    model = ReducedSetSVC(method, distance=1e6, rejection_cost=0.01).fit(X, y)
    report = model.report_
    if method == "ssca":
        assert report["removed"] == 60
    assert not report["reduced"]
    assert report["fallback"] == "only one class was left after the reduction"
    assert report["after"] is None
    assert report["decision_agreement"] is None
    assert set(model.predict(X)) <= {0, 1}


def test_compare_refuses_other_labels():
    X, y = noisy(60)
    with pytest.raises(ValueError, match=r"fitted classes \[0, 1\]"):
        reduced("sca").fit(X, y).compare(X, y + 1)
