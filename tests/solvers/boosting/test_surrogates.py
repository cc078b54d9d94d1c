"""The surrogates against their definitions, Bayes' decisions and finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from solvers.boosting.surrogates import Surrogate, calibrated, printed
from solvers.costs import CostMatrix
from solvers.errors import InvalidCostsError, UnknownNameError

LOSSES = ("exponential", "logistic")


@st.composite
def cost_matrices(draw):
    errors = draw(st.tuples(*[st.floats(0.2, 20.0)] * 2))
    shares = draw(st.tuples(*[st.floats(0.05, 0.45)] * 2))
    fp, fn = errors
    try:
        return CostMatrix(fp, fn, shares[0] * fn, shares[1] * fp)
    except InvalidCostsError:
        return CostMatrix(fp, fn, 0.2 * fn, 0.2 * fp)


def expected_loss(surrogate: Surrogate, eta: float, h: float, r: float) -> float:
    y, hs, rs = np.array([1.0, -1.0]), np.full(2, h), np.full(2, r)
    return float(np.array([eta, 1.0 - eta]) @ surrogate.value(y, hs, rs))


def minimiser(surrogate: Surrogate, eta: float) -> tuple[float, float]:
    def loss(pair):
        return expected_loss(surrogate, eta, *pair)

    found = minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-9})
    return tuple(found.x)


def test_printed_constants_are_the_papers():
    for cost in (0.05, 0.2, 0.45):
        surrogate = printed(cost)
        assert surrogate.b == pytest.approx(2.0 * np.sqrt((1.0 - cost) / cost))
        assert surrogate.pull_positive / surrogate.b == pytest.approx(cost)


@given(st.floats(0.01, 0.49))
def test_symmetric_exponential_is_exactly_the_papers(cost):
    ours = calibrated(CostMatrix(1.0, 1.0, cost, cost))
    paper = printed(cost)
    assert ours.b == pytest.approx(paper.b, rel=1e-9)
    assert ours.pull_positive == pytest.approx(paper.pull_positive, rel=1e-9)
    assert ours.pull_negative == pytest.approx(paper.pull_negative, rel=1e-9)
    assert (ours.error_positive, ours.error_negative) == (1.0, 1.0)


@given(st.floats(0.01, 0.49))
def test_symmetric_logistic_has_four_times_one_minus_c(cost):
    ours = calibrated(CostMatrix(1.0, 1.0, cost, cost), loss="logistic")
    assert ours.b == pytest.approx(4.0 * (1.0 - cost), rel=1e-9)
    assert ours.pull_positive / ours.b == pytest.approx(cost, rel=1e-9)


def test_the_printed_logistic_constant_rejects_another_band():
    surrogate = printed(0.25, loss="logistic")
    r_at = [minimiser(surrogate, eta)[1] for eta in (0.28, 0.35)]
    assert r_at[0] > 0.0 > r_at[1]  # Bayes rejects both: 0.25 <= eta


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "costs",
    [
        CostMatrix(1, 1, 0.1, 0.1),
        CostMatrix(1, 1, 0.4, 0.4),
        CostMatrix(1, 5, 0.6, 0.3),
        CostMatrix(20, 1, 0.3, 2.0),
        CostMatrix(1, 20, 4.0, 0.2),
    ],
    ids=str,
)
def test_minimiser_decides_as_bayes_on_a_grid(loss, costs):
    surrogate = calibrated(costs, loss=loss)
    for eta in np.linspace(0.02, 0.98, 25):
        if min(abs(eta - costs.p_minus), abs(eta - costs.p_plus)) < 0.01:
            continue
        h, r = minimiser(surrogate, eta)
        told = 0 if r <= 0 else int(np.sign(h))
        best = (1, -1, 0)[int(np.argmin(costs.expected(eta)))]
        assert told == best, (eta, h, r)


@pytest.mark.parametrize("loss", LOSSES)
def test_implied_probability_is_the_minimisers(loss):
    surrogate = calibrated(CostMatrix(1, 5, 0.6, 0.3), loss=loss)
    for eta in (0.03, 0.1, 0.4, 0.9):
        h, r = minimiser(surrogate, eta)
        told = surrogate.implied_probability(np.array([h]), np.array([r]))
        assert told[0] == pytest.approx(eta, abs=1e-4)


@given(cost_matrices(), st.sampled_from(LOSSES), st.floats(-3, 3), st.floats(-3, 3))
def test_calibrated_is_convex_and_above_the_abstention_loss(costs, loss, h, r):
    surrogate = calibrated(costs, loss=loss)
    assert surrogate.pull_positive >= 0.0
    assert surrogate.pull_negative >= 0.0
    y = np.array([1.0, -1.0])
    decision = 0 if r <= 0 else (1 if h > 0 else -1)
    paid = costs.of_decisions(y, np.full(2, decision))
    bound = surrogate.value(y, np.full(2, h), np.full(2, r))
    assert (bound >= paid * (1.0 - 1e-9)).all()


@given(
    st.sampled_from(LOSSES),
    st.floats(0.05, 0.45),
    st.floats(-2, 2),
    st.floats(-2, 2),
    st.sampled_from([-1.0, 1.0]),
)
def test_max_is_the_larger_term(loss, cost, h, r, y):
    def link(u):
        return np.exp(u) if loss == "exponential" else np.log2(1.0 + np.exp(u))

    surrogate = printed(cost, loss=loss, form="max")
    b = 2.0 * np.sqrt((1.0 - cost) / cost)
    told = surrogate.value(np.array([y]), np.array([h]), np.array([r]))[0]
    assert told == pytest.approx(max(link(r - y * h), cost * link(-b * r)))


@pytest.mark.parametrize("cost", [0.0, 0.5, -0.1, 0.7, float("nan"), float("inf")])
def test_cost_outside_its_interval_is_refused(cost):
    with pytest.raises(ValueError, match="strictly between 0 and 1/2"):
        printed(cost)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="squared"):
        printed(0.2, loss="squared")
    with pytest.raises(UnknownNameError, match="product"):
        printed(0.2, form="product")
