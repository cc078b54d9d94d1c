"""What the SVMs refuse to be made of, and the odd inputs that they take."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from solvers import CostMatrix, DoubleHingeSVC, HingeSVC
from solvers.errors import InvalidCostsError, UnknownNameError
from solvers.rules import ChowRule

pytestmark = pytest.mark.filterwarnings("ignore:the labels .* are text")

MACHINES = [HingeSVC, DoubleHingeSVC]


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"C": 0}, "C must be"),
        ({"C": -1.0}, "C must be"),
        ({"C": np.inf}, "C must be"),
        ({"C": "1"}, "C must be"),
        ({"tol": 0.0}, "tol must be"),
        ({"cache_size": -5}, "cache_size must be"),
        ({"max_iter": -2}, "max_iter must be"),
        ({"max_iter": 1.5}, "max_iter must be"),
        ({"solver": "newton"}, "no solver is called"),
        ({"kernel": "gauss"}, "no kernel is called"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"gamma": "big"}, "gamma must be"),
        ({"degree": -1, "kernel": "poly"}, "degree must be"),
        ({"class_weight": "even"}, "class_weight must be"),
        ({"class_weight": {"healthy": 2.0}}, "class_weight names"),
        ({"class_weight": {"ill": -2.0}}, "class_weight must be"),
    ],
)
def test_parameters_out_of_range_are_refused(table, parameters, text):
    for machine in MACHINES:
        with pytest.raises(ValueError, match=text):
            machine(**parameters).fit(*table)


def test_costs_and_rules_that_do_not_fit_are_refused(table):
    X, y = table
    with pytest.raises(InvalidCostsError, match="lower the reject costs"):
        DoubleHingeSVC({"reject_positive": 0.6, "reject_negative": 0.6}).fit(X, y)
    with pytest.raises(InvalidCostsError, match="same costs"):
        DoubleHingeSVC(CostMatrix(1, 5, 0.6, 0.3), rule="bartlett-wegkamp").fit(X, y)
    with pytest.raises(UnknownNameError, match="plug-in"):
        DoubleHingeSVC(rule="plugin").fit(X, y)
    for rule in (ChowRule(), "chow", "expected-cost"):
        with pytest.raises((ValueError, TypeError), match="RejectOptionClassifier"):
            DoubleHingeSVC(rule=rule).fit(X, y)


def test_rows_that_cannot_be_fitted_are_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="1 class"):
        HingeSVC().fit(X[:5], ["ill"] * 5)
    with pytest.raises(ValueError, match="1 class"):
        HingeSVC().fit(X, y, sample_weight=(y == "ill").astype(float))
    with pytest.raises(ValueError, match="Only binary"):
        HingeSVC().fit(X[:6], [0, 1, 2, 0, 1, 2])
    with pytest.raises(ValueError, match="NaN"):
        HingeSVC().fit(np.where(X > 3, np.nan, X) * np.nan, y)
    with pytest.raises(ValueError, match="infinity"):
        HingeSVC().fit(np.where(X > 1, np.inf, X), y)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        HingeSVC().fit(X, y, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="square"):
        HingeSVC(kernel="precomputed").fit(X, y)
    model = HingeSVC().fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :2])
    with pytest.raises(NotFittedError):
        HingeSVC().predict(X)


def test_constant_features_fit_a_constant(table):
    _, y = table
    ones = np.ones((len(y), 3))
    for machine in MACHINES:
        model = machine().fit(ones, y)
        assert np.ptp(model.decision_function(ones)) == 0
        assert model.duality_gap_ <= 1e-3


def test_labels_may_be_booleans(table):
    X, y = table
    model = DoubleHingeSVC().fit(X, y == "ill")
    assert model.predict(X).dtype == np.bool_
    assert model.classes_.tolist() == [False, True]
