"""Coordinate descent against finite differences, a plain reference and its optimum."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from solvers.boosting.codes import exact_codes, histogram_codes
from solvers.boosting.descent import Settings, descend
from solvers.boosting.finder import Finder
from solvers.boosting.make_rows import make_rows
from solvers.boosting.margin_rows import MarginRows
from solvers.boosting.stumps import CONSTANT, Pair, Stump
from solvers.boosting.surrogates import calibrated, printed
from solvers.costs import CostMatrix
from solvers.errors import Interrupted

SURROGATES = {
    "exponential": printed(0.2),
    "logistic": printed(0.2, loss="logistic"),
    "exponential, costs": calibrated(CostMatrix(1, 5, 0.6, 0.3)),
    "logistic, costs": calibrated(CostMatrix(1, 5, 0.6, 0.3), loss="logistic"),
}
JOINED = {
    "max, exponential": printed(0.2, form="max"),
    "max, logistic": printed(0.2, loss="logistic", form="max"),
}


def loss_of(surrogate, y, weight, h, r):
    """Sum the loss that steps lower: for "max" the norm of order 16 of its terms."""
    first = surrogate.errors(y) * surrogate.link(r - y * h)
    second = surrogate.pulls(y) / surrogate.b * surrogate.link(-surrogate.b * r)
    if surrogate.form == "max":
        return float(weight @ (first**16 + second**16) ** (1 / 16))
    return float(weight @ (first + second))


def run(surrogate, X, y, weight=None, *, codes=None, **settings):
    weight = np.ones(len(y)) if weight is None else weight
    codes = exact_codes(X) if codes is None else codes
    rows = make_rows(surrogate, codes, y, weight)
    path = descend(
        rows, Finder(codes, rejects=True), weight.sum(), Settings(**settings)
    )
    return path, rows, codes


def margins(path, weights, codes, X):
    h, r = np.zeros(len(X)), np.zeros(len(X))
    for pair, weight in zip(path.pairs, weights, strict=True):
        to_h, to_r = Stump.of(pair, codes.cuts).outputs(X)
        h += weight * to_h
        r += weight * to_r
    return h, r


@pytest.mark.parametrize("name", [*SURROGATES, *JOINED])
def test_slopes_are_the_finite_differences_of_the_loss(problem, name):
    surrogate = (SURROGATES | JOINED)[name]
    X, y = problem(60, seed=2, missing=0.1)
    weight = np.linspace(0.5, 2.0, 60)
    codes = exact_codes(X)
    rows = make_rows(surrogate, codes, y, weight)
    random = np.random.default_rng(0)
    h, r = np.zeros(60), np.zeros(60)
    for _ in range(12):
        feature = int(random.integers(3))
        low, high = sorted(random.integers(0, codes.counts[feature] + 1, 2).tolist())
        ordering, lost = int(random.integers(6)), int(random.integers(-1, 2))
        pair = Pair(feature, ordering, low, high, lost)
        pair = CONSTANT if random.random() < 0.2 else pair
        to_h, to_r = Stump.of(pair, codes.cuts).outputs(X)

        def loss(eta, h=h, r=r, to_h=to_h, to_r=to_r):
            return loss_of(surrogate, y, weight, h + eta * to_h, r + eta * to_r)

        for eta in (0.0, 0.3):
            first, second = rows.line(pair)(eta)
            step = 1e-4
            around = [loss(eta + k * step) for k in (-1, 0, 1)]
            slope = (around[2] - around[0]) / (2 * step)
            bend = (around[2] - 2 * around[1] + around[0]) / step**2
            assert first == pytest.approx(slope, rel=1e-5, abs=1e-5)
            assert second == pytest.approx(bend, rel=1e-3, abs=1e-3)
            assert rows.loss_at(pair, eta) == pytest.approx(loss(eta), rel=1e-12)
        total = np.abs(rows.signed) @ (to_r - y * to_h) - rows.pull @ to_r
        assert total == pytest.approx(rows.line(pair)(0.0)[0], rel=1e-9, abs=1e-9)
        eta = float(random.uniform(0.05, 0.4))
        rows.step(pair, eta)
        h, r = h + eta * to_h, r + eta * to_r
        assert rows.loss == pytest.approx(loss_of(surrogate, y, weight, h, r))
        assert rows.reported == pytest.approx(float(weight @ surrogate.value(y, h, r)))


@pytest.mark.parametrize("name", SURROGATES)
def test_fast_rows_equal_the_general_ones(problem, name):
    X, y = problem(80, seed=4)
    codes = exact_codes(X)
    weight = np.ones(80)
    general = MarginRows(SURROGATES[name], codes, y, weight)
    fast = make_rows(SURROGATES[name], codes, y, weight)
    for pair, eta in ((Pair(0, 0, 20, 50, 0), 0.7), (CONSTANT, 0.3)):
        general.step(pair, eta)
        fast.step(pair, eta)
        assert fast.signed == pytest.approx(general.signed, rel=1e-10)
        assert fast.pull == pytest.approx(general.pull, rel=1e-10)
        assert fast.largest == pytest.approx(general.largest, rel=1e-10)
        assert fast.loss == pytest.approx(general.loss, rel=1e-10)


@pytest.mark.parametrize("step", ["line-search", "closed-form"])
@pytest.mark.parametrize("beta", [0.0, 0.03])
@pytest.mark.parametrize("name", [*SURROGATES, *JOINED])
def test_the_objective_never_rises_and_is_the_formula(problem, name, beta, step):
    surrogate = (SURROGATES | JOINED)[name]
    X, y = problem(100, seed=7, missing=0.1)
    weight = np.linspace(0.5, 2.0, 100)
    settings = {"n_rounds": 60, "beta": beta, "step": step, "learning_rate": 0.7}
    lowest = surrogate.form == "max"
    path, _, codes = run(surrogate, X, y, weight, keep_lowest=lowest, **settings)
    kept = path.weights(path.best_round)
    objective = np.array(path.objective)
    assert (np.diff(objective) <= 1e-12).all()
    assert objective[-1] < objective[0]
    h, r = margins(path, kept, codes, X)
    mean = float(weight @ surrogate.value(y, h, r) / weight.sum())
    assert mean + beta * sum(kept) == pytest.approx(objective[-1], rel=1e-9)
    assert min(kept) >= 0.0


def plain_reference(surrogate, X, y, n_rounds):
    """Minimise over every stump there is: full search, a library's line search."""
    stumps = [Stump(None)]
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        cuts = [-np.inf, *((values[1:] + values[:-1]) / 2), np.inf]
        for low, high in combinations_with_replacement(cuts, 2):
            for a, b, c in ((-1, 0, 1), (1, 0, -1), (-1, 1, 0), (1, -1, 0)):
                stumps.append(Stump(feature, low, high, a, b, c))
            stumps.append(Stump(feature, low, high, 0, -1, 1))
            stumps.append(Stump(feature, low, high, 0, 1, -1))
    outputs = [stump.outputs(X) for stump in stumps]
    H, R = (np.array([o[k] for o in outputs]) for k in (0, 1))
    alpha = np.zeros(len(stumps))
    for _ in range(n_rounds):
        h, r = alpha @ H, alpha @ R
        epsilon = 1e-6
        by_u = (
            surrogate.link(r - y * h + epsilon) - surrogate.link(r - y * h)
        ) / epsilon
        v = -surrogate.b * r
        by_v = (surrogate.link(v + epsilon) - surrogate.link(v)) / epsilon
        w1, w2 = surrogate.errors(y) * by_u, surrogate.pulls(y) * by_v
        slopes = (R - y * H) @ w1 - R @ w2
        free = np.where((slopes < 0) | (alpha > 0), np.abs(slopes), -1.0)
        best = int(np.argmax(free))
        found = minimize_scalar(
            lambda eta, k=best, h=h, r=r: surrogate.value(
                y, h + eta * H[k], r + eta * R[k]
            ).mean(),
            bounds=(-alpha[best], 5.0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        alpha[best] += found.x
    return float(surrogate.value(y, alpha @ H, alpha @ R).mean())


@pytest.mark.parametrize("name", ["exponential", "logistic, costs"])
def test_objective_is_within_two_percent_of_a_plain_reference(problem, name):
    surrogate = SURROGATES[name]
    X, y = problem(60, 2, seed=11)
    reference = plain_reference(surrogate, X, y, 40)
    path, _, _ = run(surrogate, X, y, n_rounds=40)
    assert path.objective[-1] <= 1.02 * reference
    assert reference <= 1.02 * path.objective[-1]
    codes = histogram_codes(X, np.ones(60), 255)
    binned, _, _ = run(surrogate, X, y, codes=codes, n_rounds=40)
    assert binned.objective[-1] <= 1.02 * reference


@pytest.mark.parametrize("kind", ["exact", "histogram"])
@pytest.mark.parametrize("name", SURROGATES)
def test_at_convergence_no_direction_descends(problem, name, kind):
    X, y = problem(80, 2, seed=13)
    X = np.round(X).clip(-2, 2)
    codes = exact_codes(X) if kind == "exact" else histogram_codes(X, np.ones(80), 16)
    path, rows, _ = run(SURROGATES[name], X, y, codes=codes, n_rounds=9_000, beta=0.02)
    assert path.converged
    everyone = [CONSTANT]
    for feature, count in enumerate(codes.counts):
        everyone += [
            Pair(feature, ordering, low, high, 0)
            for low, high in combinations_with_replacement(range(count + 1), 2)
            for ordering in range(6)
        ]
    slopes = Finder(codes, rejects=True).search(rows, everyone, exact=True).held
    slopes = slopes / 80 + 0.02
    assert slopes.min() >= -1e-7
    active = {p for p, w in zip(path.pairs, path.weights(), strict=True) if w > 0}
    on = np.array([pair in active for pair in everyone])
    assert 2 <= on.sum() < len(everyone)
    assert np.abs(slopes[on]).max() <= 1e-7


def test_weights_return_to_zero(problem):
    X, y = problem(80, 2, seed=13)
    X = np.round(X * 2) / 2
    path, _, _ = run(SURROGATES["exponential"], X, y, n_rounds=2000, beta=0.02)
    steps = [eta for _, eta in path.steps]
    assert min(steps) < 0.0
    assert 0.0 in path.weights()


def test_progress_may_interrupt(problem):
    X, y = problem(50)
    codes = exact_codes(X)
    told = []

    def progress(fraction, message):
        told.append((fraction, message))
        return len(told) < 4

    rows = make_rows(SURROGATES["exponential"], codes, y, np.ones(50))
    finder = Finder(codes, rejects=True)
    with pytest.raises(Interrupted):
        descend(rows, finder, 50.0, Settings(10), progress=progress)
    assert told[3] == (0.3, "round 4 of 10")


def test_a_separating_stump_takes_a_bounded_step():
    X = np.arange(20.0)[:, None]
    y = np.where(X[:, 0] < 7, -1.0, 1.0)
    path, rows, _ = run(SURROGATES["exponential"], X, y, n_rounds=50)
    assert path.objective[-1] < 1e-6
    assert np.isfinite(rows.signed).all()
    assert max(path.weights()) < 1000.0
