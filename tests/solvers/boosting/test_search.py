"""The steepest stump and the slopes of held stumps, against every stump there is."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from solvers.boosting.codes import encode, exact_codes, histogram_codes
from solvers.boosting.finder import Finder
from solvers.boosting.make_rows import make_rows
from solvers.boosting.stumps import CONSTANT, ORDERINGS, Pair, Stump
from solvers.boosting.surrogates import printed


def every_pair(codes):
    for feature, count in enumerate(codes.counts):
        for low, high in combinations_with_replacement(range(count + 1), 2):
            for ordering in range(6):
                for missing in (-1, 0, 1) if codes.has_missing[feature] else (0,):
                    yield Pair(feature, ordering, low, high, missing)


def slope_of(pair, X, codes, rows, y):
    h, r = Stump.of(pair, codes.cuts).outputs(X)
    w1 = np.abs(rows.signed)
    return float(w1 @ (r - y * h) - rows.pull @ r)


def moved_rows(codes, X, y, seed):
    random = np.random.default_rng(seed)
    weight = random.integers(1, 4, len(y)).astype(float)
    rows = make_rows(printed(0.2), codes, y, weight)
    pairs = list(every_pair(codes))
    for place in random.integers(0, len(pairs), 4):
        rows.step(pairs[place], float(random.uniform(0.1, 0.6)))
    rows.step(CONSTANT, 0.4)
    return rows, pairs


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("kind", ["exact", "histogram"])
@pytest.mark.parametrize("seed", range(4))
def test_best_stump_is_the_best_of_all(problem, kind, missing, seed):
    X, y = problem(40, seed=seed, missing=missing)
    codes = exact_codes(X) if kind == "exact" else histogram_codes(X, np.ones(40), 8)
    rows, pairs = moved_rows(codes, X, y, seed)
    slopes = {pair: slope_of(pair, X, codes, rows, y) for pair in pairs}
    for exact in (True, False):
        found = Finder(codes, rejects=True).search(rows, pairs[:300], exact=exact)
        value, best = found.slope, found.stump
        close = 1e-9 if exact or kind == "exact" else 40 * rows.largest / 2**17
        assert value == pytest.approx(min(slopes.values()), abs=close)
        assert slopes[best] == pytest.approx(min(slopes.values()), abs=2 * close)
        told = [slopes[pair] for pair in pairs[:300]]
        assert found.held == pytest.approx(told, abs=close)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_no_pair_of_cuts_is_passed_over_among_many(seed, ties):
    """More codes than are looked at together, with and without a drift of the sums."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(700, 3))
    X = np.round(X, 2) if ties else X
    y = np.where(random.random(700) < 0.5 + 0.3 * np.tanh(X[:, 0]), 1.0, -1.0)
    codes = exact_codes(X)
    rows = drifting_rows(codes, y, random)
    found = Finder(codes, rejects=True).search(rows, [], exact=False)
    least = min(least_slope(codes, rows, feature) for feature in range(3))
    assert found.slope == pytest.approx(least, rel=1e-12)
    again = Finder(codes, rejects=True).search(rows, [found.stump], exact=True)
    assert again.held[0] == pytest.approx(least, rel=1e-12)


def drifting_rows(codes, y, random):
    rows = make_rows(printed(0.2), codes, y, random.uniform(0.5, 2.0, len(y)))
    for _ in range(3):
        feature, ordering = random.integers(3), random.integers(6)
        rows.step(Pair(int(feature), int(ordering), 50, 180, 0), 0.5)
    return rows


def least_slope(codes, rows, feature):
    """Return the best slope by trying every pair of cuts of a feature."""
    count = codes.counts[feature]
    other = rows.pull - np.abs(rows.signed)
    told = codes.values[feature]
    P = np.r_[0.0, np.bincount(told, rows.signed, count).cumsum()]
    Q = np.r_[0.0, np.bincount(told, other, count).cumsum()]
    of_answer = {-1: P, 1: -P, 0: Q}
    slopes = []
    for left, middle, right in ORDERINGS:
        A, B, C = of_answer[left], of_answer[middle], of_answer[right]
        table = (A - B)[:, None] + (B - C)[None, :] + C[-1]
        slopes.append(table[np.triu_indices(len(P))].min())
    return min(slopes)


def test_every_ordering_can_win(problem):
    X = np.arange(30.0)[:, None]
    for ordering, answers in enumerate(ORDERINGS):
        told = np.repeat(answers, 10)
        y = np.where(told == 0, np.resize([1.0, -1.0], 30), told)
        codes = exact_codes(X)
        rows = make_rows(printed(0.3), codes, y, np.ones(30))
        best = Finder(codes, rejects=True).search(rows, [], exact=True).stump
        assert best.ordering == ordering
        assert abs(best.low - 10) + abs(best.high - 20) <= 2


def test_without_rejects_it_is_the_plain_stump_of_least_error(problem):
    X, y = problem(60, seed=3)
    codes = exact_codes(X)
    rows = make_rows(printed(0.2), codes, y, np.ones(60))
    found = Finder(codes, rejects=False).search(rows, [], exact=True)
    best = min(
        sign * float(np.sum(np.where(X[:, f] <= cut, -y, y)))
        for f in range(3)
        for cut in [-np.inf, *codes.cuts[f]]
        for sign in (1, -1)
    )
    assert found.slope == pytest.approx(best)


def test_ties_are_never_split_and_codes_agree_with_cuts(problem):
    X, _ = problem(200, seed=1, missing=0.1)
    for codes in (exact_codes(X), histogram_codes(X, np.ones(200), 16)):
        for f, cuts in enumerate(codes.cuts):
            assert not np.isin(cuts, X[:, f]).any()
            known = ~np.isnan(X[:, f])
            below = (X[known, f][:, None] > cuts).sum(axis=1)
            assert (codes.values[f][known] == below).all()
            assert (codes.values[f][~known] == codes.missing).all()
        assert (encode(X, codes).values == codes.values).all()


def test_bins_of_weights_are_those_of_repeated_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(900, 2))
    weight = random.integers(1, 5, 900)
    weighted = histogram_codes(X, weight.astype(float), 20)
    repeated = histogram_codes(np.repeat(X, weight, axis=0), np.ones(weight.sum()), 20)
    for ours, theirs in zip(weighted.cuts, repeated.cuts, strict=True):
        assert (ours == theirs).all()
    assert all(len(cuts) == 19 for cuts in weighted.cuts)


def test_neighbouring_floats_are_still_told_apart():
    upper = np.nextafter(1.0, 2.0)
    codes = exact_codes(np.array([[1.0], [upper], [upper]]))
    assert codes.values.tolist() == [[0, 1, 1]]
    assert 1.0 <= codes.cuts[0][0] < upper
    assert np.isfinite(exact_codes(np.array([[-1.7e308], [1.7e308]])).cuts[0]).all()


def test_packed_sums_equal_float_sums(problem):
    X, y = problem(20_000, seed=5, missing=0.05, ties=False)
    codes = histogram_codes(X, np.ones(len(y)), 255)
    rows = make_rows(printed(0.1), codes, y, np.ones(len(y)))
    finder = Finder(codes, rejects=True)
    packed = finder.search(rows, [], exact=False)
    plain = finder.search(rows, [], exact=True)
    assert packed.stump == plain.stump
    assert packed.slope == pytest.approx(plain.slope, rel=1e-4)
