"""The penalised logistic regression under the curve: optimum, evidence and spread."""

import numpy as np
import pytest

from solvers.calibration.curve import SMOOTH
from solvers.calibration.logistic import fit_rising, log_evidence, spread_of


@pytest.mark.parametrize("smooth", [0.3, 3.0, 30.0])
def test_the_evidence_is_the_mean_likelihood(smooth):
    """Beside a sum over all slopes (Gauss and Hermite), up to one constant."""
    rng = np.random.default_rng(4)
    scores = rng.normal(size=400)
    basis = np.column_stack((np.minimum(scores, 0.0), np.maximum(scores, 0.0)))
    z = 0.3 + basis @ [2.0, 1.0]
    targets = np.where(rng.random(400) < 1 / (1 + np.exp(-z)), 0.99, 0.01)
    weights = np.ones(400)
    nodes, share = np.polynomial.hermite_e.hermegauss(20)

    def exact(price):
        found = fit_rising(basis, targets, weights, price)
        design = np.column_stack((np.ones(400), basis))
        p = 1 / (1 + np.exp(-design @ found))
        change = np.array([0.0, -1.0, 1.0])
        curved = (design.T * (p * (1 - p))) @ design + price * np.outer(change, change)
        root = np.linalg.inv(np.linalg.cholesky(curved)).T
        at = np.array(np.meshgrid(nodes, nodes, nodes)).reshape(3, -1)
        counted = np.prod(np.meshgrid(share, share, share), axis=0).ravel()
        slopes = found[:, np.newaxis] + root @ at
        z = design @ slopes
        value = targets @ z - np.logaddexp(0, z).sum(axis=0)
        value -= 0.5 * price * (change @ slopes) ** 2
        value += 0.5 * (at**2).sum(axis=0) + 0.5 * np.log(price)
        most = value.max()
        volume = np.log(np.abs(np.linalg.det(root)))
        return most + np.log(counted @ np.exp(value - most)) + volume

    def laplace(price):
        found = fit_rising(basis, targets, weights, price)
        return log_evidence(basis, targets, weights, found, price)

    assert laplace(smooth) - laplace(1.0) == pytest.approx(
        exact(smooth) - exact(1.0), abs=0.02
    )


@pytest.mark.parametrize("smooth", SMOOTH)
def test_rising_slopes_are_a_minimum(smooth):
    rng = np.random.default_rng(7)
    scores = rng.normal(size=600)
    p = 1 / (1 + np.exp(0.5 - 2.0 * scores))
    targets = np.where(rng.random(600) < p, 0.99, 0.02)
    weights = np.linspace(0.5, 1.5, 600)
    knots = np.quantile(np.sinh(scores), np.linspace(0.01, 0.99, 9))
    width = np.diff(knots)
    place = np.interp(np.sinh(scores), knots, np.arange(9))
    basis = np.clip(place[:, np.newaxis] - np.arange(8), 0, 1) * width
    found = fit_rising(basis, targets, weights, smooth)

    def loss(found):
        z = found[0] + basis @ found[1:]
        bends = np.diff(found[1:])
        value = weights @ (np.logaddexp(0, z) - targets * z)
        return value + 0.5 * smooth * bends @ bends

    assert (found[1:] >= 0).all()
    for k in range(9):
        for step in (1e-3, -1e-3):
            moved = found.copy()
            moved[k] += step
            assert loss(moved) > loss(found) or (moved[1:] < 0).any()


def test_what_a_height_rests_on_is_its_spread():
    """Without bends to price, that of the logistic regression on indicator columns."""
    basis = np.repeat([[0.0], [1.0]], [50, 150], axis=0)
    targets = np.r_[np.repeat([0.0, 1.0], [40, 10]), np.repeat([0.0, 1.0], [30, 120])]
    weights = np.ones(200)
    found = fit_rising(basis, targets, weights)
    spread = spread_of(np.array([[1.0, 0.0], [1.0, 1.0]]), basis, weights, found, 0.0)
    assert spread == pytest.approx([1 / (50 * 0.2 * 0.8), 1 / (150 * 0.8 * 0.2)])
